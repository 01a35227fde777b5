import PGMigrations
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import Workshop

/// Conversions between any types and numbers of attributes, checked by the laws and in the tables.
@Suite(.serialized, .ownThread) struct TripsTests {
    private static func lines() throws -> [MigrationLine] {
        let server = try MigrationLine.read(
            directory: "\(Repository.migrationsDirectory)/\(MigrationLine.serverLineName)")
        return [server, try MigrationLine.read(directory: "\(Repository.root)/Tests/Workshop/Migrations/trips")]
    }

    @Test("S2_07: every law holds for structs, arrays and bytes, for any number on either side")
    func everyLawHolds() async throws {
        let report = await Laws.check(try Plan(TripsPlan.self), seed: .random(in: 0 ... .max))
        #expect(report.isLawful, "\(report)")
    }

    @Test func everyVersionGetsAlongWithEveryOther() async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let plan = try Plan(TripsPlan.self)
        let all = Array(plan.schemas.indices)
        let outcomes = try await TemporaryServer.with(plan, lines: Self.lines()) { server in
            let run = CompatRun(plan: plan, server: server.url, space: "me", token: server.token, seed: seed)
            return try await run.run(writers: all, readers: all)
        }
        #expect(outcomes.count == 9)
        for outcome in outcomes { #expect(outcome.isGreen, "\(outcome), seed \(seed)") }
    }

    @Test("M22: SQL converts existing trips as the lenses convert new ones", arguments: [0, 1, 2])
    func migratedTripsReadAsThoseAtTheHead(version: Int) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let (plan, lines) = (try Plan(TripsPlan.self), try Self.lines())
        let files = try await MigrationReach.files(plan, lines)
        #expect(files == [1, 2, 3])
        let found = try await MigrationTrial(
            plan, at: version, lines: lines, files: files[version], seed: seed
        )
        .differences()
        #expect(found.isEmpty, "\(found.count) differences, seed \(seed)\n\(found.prefix(12).joined(separator: "\n"))")
    }

    // MARK: What no struct is

    private static let foreignValues: [JSONValue] = [
        ["street": 5, "number": 1], [:], [], 7, "Rua", ["street": "Rua", "number": 1.5],
    ]

    @Test("P10: JSON that does not decode to the struct is held, and the rest is applied", arguments: foreignValues)
    func jsonThatIsNoSuchStructIsHeldAndTheRestGoesOn(foreign: JSONValue) async throws {
        let lines = try Self.lines()
        try await withTestServer(TripsPlan.self, migrations: lines[1]) { server in
            // The version that has the struct, and a version whose attribute changes only two versions later.
            let tablet = server.device("2.0.0")
            let phone = server.device("1.0.0")
            let good: JSONValue = ["street": "Rua", "number": 5]
            let date: JSONValue = "2026-01-31T08:00:00Z"
            let kept = ID.random()
            #expect(
                try await tablet.send([
                    .create("Trip", ID.random(), ["address": foreign, "starts": date], at: moment(1)),
                    .create("Trip", kept, ["address": good, "starts": date], at: moment(2)),
                ]).verdicts == ["held", "applied"])
            let photo: JSONValue = ""
            #expect(
                try await phone.send([
                    .create("Trip", ID.random(), ["home": foreign, "photo": photo, "weather": "sun"], at: moment(3)),
                    .update("Trip", kept, ["home": good], at: moment(4)),
                ]).verdicts == ["held", "applied"])
            let trips = try await server.view("3.0.0")["Trip"]
            #expect(trips?.keys.map(\.self) == [kept.description])
            #expect(trips?[kept.description]?["lines"] == ["Rua", "5"])
            #expect(trips?[kept.description]?["homes"] == [good])
        }
    }

    /// R4. The conversion would set values that the phone reads to null, and another device edited one of the parts
    /// later.
    @Test func aRepetitionThatIsTheLatestWordOnSomePartsChangesNone() async throws {
        let lines = try Self.lines()
        try await withTestServer(TripsPlan.self, migrations: lines[1]) { server in
            let (id, tablet, phone) = (ID.random(), server.device("2.0.0"), server.device("1.0.0"))
            let date: JSONValue = "2026-01-31T08:00:00Z"
            let fields: [String: JSONValue] = ["starts": date, "format": "gif", "pixels": ""]
            try await tablet.push([.create("Trip", id, fields, at: moment(1000))])
            try await tablet.push([.update("Trip", id, ["format": "tiff"], at: moment(3000))])
            try await phone.pullAll()
            #expect(
                try await phone.push([.update("Trip", id, ["photo": ""], at: moment(2000))]).verdicts == ["unchanged"])
            let trip = try await server.view("2.0.0")["Trip"]?[id.description]
            #expect(trip?["pixels"] == "" && trip?["format"] == "tiff")
            // The repetition still counts as the latest edit of these parts.
            let late = JSONValue.update("Trip", id, ["pixels": "AQ=="], at: moment(1500))
            #expect(try await server.device("2.0.0").push([late]).verdicts == ["superseded"])
        }
    }

    /// An edit before its record's creation edits a record that has only initial values.
    @Test func anEditBeforeItsCreationIsConvertedToo() async throws {
        let lines = try Self.lines()
        try await withTestServer(TripsPlan.self, migrations: lines[1]) { server in
            let id = ID.random()
            let tablet = server.device("2.0.0")
            #expect(
                try await tablet.send([.update("Trip", id, ["format": "png"], at: moment(2))]).verdicts == ["applied"])
            #expect(
                try await server.device("1.0.0").send([
                    .create("Trip", id, ["photo": "AQ==", "weather": "rain", "street": "Rua"], at: moment(1))
                ]).verdicts == ["merged"])
            let trip = try await server.view("3.0.0")["Trip"]?[id.description]
            #expect(trip?["lines"] == ["Rua", "1"])
            #expect(trip?["skies"] == ["rain"])
            #expect(trip?["labels"] == [])
            #expect(trip?["note"] == "happy")
            // A part that was edited later wins against the whole.
            #expect(trip?["format"] == "png")
        }
    }
}
