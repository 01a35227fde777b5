import DemoApps
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands
@testable import SyncEngine
@testable import SyncServer

/// Tests of the answer to a contract migration that asks whether old versions are still in use.
@Suite struct CensusGateTests {
    private let plan = Result { try Plan(FitIQPlan.self) }
    /// 2030-03-17 17:46:40
    private let start = Timestamp(microseconds: 1_900_000_000_000_000)
    private let phone = ID(high: 1, low: 1)
    private let tablet = ID(high: 1, low: 2)

    private func days(_ count: Int) -> Timestamp { start.adding(.seconds(count * 86_400)) }

    /// A sighting for each day, device and version, and then the question.
    private func answer(
        _ text: String = "census(<0.0.8)=0 for 30d", keptSince: Timestamp? = nil,
        seen: [(day: Int, device: ID?, version: String)] = [], of subject: Subject? = nil, at now: Timestamp
    ) async throws -> CensusGate.Answer {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let plan = try plan.get()
            try await database.withServingPool { pool in
                let census = Census([plan])
                guard let keptSince else { return }
                try await census.flush(on: pool, at: keptSince)
                for (day, device, version) in seen {
                    let index = try #require(ShapeName(version).flatMap { plan.index(of: $0) })
                    census.taker(for: 0).note(
                        index, by: device, of: subject ?? Subject("\(device ?? .random())"), outboxAge: nil,
                        at: days(day))
                    try await census.flush(on: pool, at: days(day))
                }
                try await census.end(on: pool)
            }
            let session = try await database.session()
            let answer = try await ask(CensusGate(text), plan, now, session)
            await session.close()
            return answer
        }
    }

    private func ask(
        _ gate: CensusGate, _ plan: Plan, _ now: Timestamp, _ session: isolated Session
    ) throws -> CensusGate.Answer {
        try gate.answer(for: plan, at: now, session)
    }

    private func obstacle(_ answer: CensusGate.Answer) throws -> CensusGate.Obstacle {
        guard case .notYet(let obstacle) = answer else {
            Issue.record("The gate is open.")
            throw CancellationError()
        }
        return obstacle
    }

    @Test("M24: a gate is open once nobody has used a lower version for the window")
    func itIsOpenOnceNobodyHasUsedALowerVersionForTheWindow() async throws {
        let seen: [(Int, ID?, String)] = [(0, phone, "0.0.7"), (1, phone, "0.0.8"), (39, phone, "0.1.1")]
        #expect(try await answer(keptSince: start, seen: seen, at: days(40)) == .satisfied)
        #expect(try await answer(keptSince: start, seen: [], at: days(30)) == .satisfied)
    }

    /// An updated device counts until the window is over, since its outbox may hold edits from before.
    @Test func itCountsWhoUsedOneAndSaysWhoWasLast() async throws {
        let seen: [(Int, ID?, String)] = [
            (10, phone, "0.0.3"), (12, phone, "0.0.7"), (15, tablet, "0.0.3"), (16, tablet, "0.1.1"),
        ]
        let found = try obstacle(try await answer(keptSince: start, seen: seen, at: days(40)))
        #expect(found.devices == CensusTable.Count(devices: 2, subjects: 2, unattributed: 0) && !found.hasAnonymous)
        #expect(found.latest == .init(at: days(15), version: "0.0.3"))
        #expect(found.holdsFrom == days(45).adding(Census.slack))
        #expect(
            "\(found)" == "2 devices of 2 subjects used a version below 0.0.8 in the last 30 days, the latest on "
                + "2030-04-01 (0.0.3); the census is kept since 2030-03-17. If nobody does any more, it holds from "
                + "2030-05-01 17:56 UTC on."
        )
        let opens = try #require(found.holdsFrom)
        #expect(try await answer(keptSince: start, seen: seen, at: opens.adding(.seconds(1))) == .satisfied)
        #expect(try await answer(keptSince: start, seen: seen, at: opens.adding(.seconds(-1))) != .satisfied)
    }

    /// A gate is shut by one device; whether that is one person or many is for who decides to see.
    @Test func itSaysHowManySubjectsStandBehindTheDevices() async throws {
        let seen = (0..<7).map { (day: 39, device: Optional(ID(high: 5, low: UInt64($0))), version: "0.0.3") }
        let found = try obstacle(try await answer(keptSince: start, seen: seen, of: "mallory", at: days(40)))
        #expect(found.devices == CensusTable.Count(devices: 7, subjects: 1, unattributed: 0))
        #expect("\(found)".hasPrefix("7 devices of 1 subject used a version below 0.0.8"))
    }

    @Test(arguments: [
        (CensusTable.Count(devices: 1, subjects: 1, unattributed: 0), "1 device of 1 subject", "1"),
        (CensusTable.Count(devices: 9, subjects: 2, unattributed: 3), "9 devices of at least 2 subjects", "2+"),
        (CensusTable.Count(devices: 9, subjects: 0, unattributed: 9), "9 devices", "0+"), (.none, "0 devices", "0"),
    ])
    func ofWhoeverIsNotKnownNothingIsSaid(count: CensusTable.Count, text: String, cell: String) {
        #expect("\(count)" == text && count.subjectsText == cell)
    }

    @Test func aYoungCensusProvesNothing() async throws {
        let found = try obstacle(try await answer(keptSince: days(38), at: days(40)))
        #expect(found.devices == .none && found.latest == nil)
        #expect(found.holdsFrom == days(68))
        #expect(
            "\(found)" == "Nobody is known to use a version below 0.0.8, but the census is kept only since 2030-04-24: "
                + "it can tell from 2030-05-24 17:46 UTC on.")
        #expect(try await answer("census(<0.0.8)=0 for 2d", keptSince: days(38), at: days(40)) == .satisfied)
    }

    @Test func theLaterOfUseAndYouthDecides() async throws {
        let seen: [(Int, ID?, String)] = [(38, phone, "0.0.1")]
        let found = try obstacle(try await answer(keptSince: days(38), seen: seen, at: days(40)))
        #expect(found.devices.devices == 1 && found.holdsFrom == days(68).adding(Census.slack))
    }

    @Test func whereNoServerKeepsTheCensusNothingIsKnown() async throws {
        let found = try obstacle(try await answer(at: days(40)))
        #expect(found.since == nil && found.holdsFrom == nil)
        #expect("\(found)".contains("No server has kept the census") && "\(found)".contains("Serve it for 30d first"))
    }

    @Test func devicesThatDoNotSayWhichTheyAreCountToo() async throws {
        let unidentified = try obstacle(
            try await answer(keptSince: start, seen: [(39, nil, "0.0.3")], at: days(40)))
        #expect(unidentified.devices == .none && unidentified.hasAnonymous)
        #expect("\(unidentified)".hasPrefix("Devices that do not say which they are used a version below 0.0.8"))
        let both = try obstacle(
            try await answer(
                keptSince: start, seen: [(38, phone, "0.0.3"), (39, nil, "0.0.3")], at: days(40)))
        #expect(
            "\(both)".hasPrefix("1 device of 1 subject, and devices that do not say which they are, used a version"))
    }

    /// A variant goes by its number; so 0.1.0's is below 0.1.1 and not below 0.1.0.
    @Test(arguments: [("0.1.1", false), ("0.1.0", true)])
    func aVariantCountsUnderItsNumber(floor: String, opens: Bool) async throws {
        let seen: [(Int, ID?, String)] = [(39, phone, "0.1.0;fp=8de35ba91f04e2da")]
        let answer = try await answer("census(<\(floor))=0 for 30d", keptSince: start, seen: seen, at: days(40))
        #expect((answer == .satisfied) == opens, "\(answer)")
    }

    /// 0.0.10 comes after 0.0.9, and another app's devices are another app's.
    @Test func versionsAreComparedAsNumbersAndOnlyThoseOfTheApp() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let plan = try plan.get()
            try await database.withServingPool { pool in
                let census = Census([plan])
                try await census.flush(on: pool, at: start)
                try await census.end(on: pool)
            }
            try await database.run(
                """
                INSERT INTO sync.census_device VALUES
                    ('fitiq', gen_random_uuid(), '0.0.10', now(), '2030-04-20', NULL),
                    ('keeptrack', gen_random_uuid(), '0.0.0', now(), '2030-04-20', NULL)
                """)
            let session = try await database.session()
            #expect(try await ask(CensusGate("census(<0.0.9)=0 for 30d"), plan, days(40), session) == .satisfied)
            #expect(try await ask(CensusGate("census(<0.1.0)=0 for 30d"), plan, days(40), session) != .satisfied)
            await session.close()
        }
    }

    @Test func aVersionThatThePlanDoesNotHaveIsAMistake() async throws {
        let error = await #expect(throws: CensusGate.Malformed.self) {
            try await answer("census(<7.0.0)=0 for 30d", keptSince: start, at: days(40))
        }
        #expect(error?.description.contains("fitiq has no version 7.0.0; it has 0.0.1, 0.0.2") == true)
    }

    @Test func itIsReadWithSpacesAndWrittenWithout() throws {
        for text in ["census(<0.0.8)=0 for 30d", "  census ( <0.0.8 ) = 0   for 30d ", "census(< 0.0.8)=0 for 30d"] {
            #expect(try CensusGate(text).description == "census(<0.0.8)=0 for 30d")
        }
        #expect(try CensusGate("census(<2.0.0)=0 for 36h").window == .seconds(36 * 3_600))
    }

    @Test(arguments: [
        ("", "no question"), ("census(<2.0.0)=1 for 30d", "no question"), ("census(>2.0.0)=0 for 30d", "no question"),
        ("census(<2.0.0)=0", "no question"), ("census(<2.0.0)=0 for 30d or so", "no question"),
        ("census(fitiq<2.0.0)=0 for 30d", "no question"), ("census(<2)=0 for 30d", "no version"),
        ("census(<2.0.0)=0 for ever", "no time"), ("census(<2.0.0)=0 for 0d", "no time"),
        ("census(<2.0.0)=0 for -3d", "no time"), ("census(<2.0.0)=0 for 366d", "365d at most"),
    ])
    func whatItCannotReadIsSaidWithAnExample(text: String, complaint: String) {
        let error = #expect(throws: CensusGate.Malformed.self) { try CensusGate(text) }
        #expect(error?.description.contains(complaint) == true, "\(error?.description ?? "")")
    }
}
