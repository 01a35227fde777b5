import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncClient

/// Numbers from responses, files and clocks: none ends an app, and impossible ones are not accepted.
@Suite struct HostileNumbersTests {
    private static let numbers = [
        "9223372036854775807", "-9223372036854775808", "9007199254740992", "-1", "1.5", "1e300", "18446744073709551615",
        #""x""#, "[]", "true",
    ]

    /// The first of these made every later write fail, also after a restart.
    @Test func aStampInAResultThatIsNoneIsNotTaken() async throws {
        try await Victim.with { victim in
            for number in Self.numbers + ["0"] {
                try await victim.write()
                let result = #"[{"index":0,"verdict":"applied","stamp":\#(number)}]"#
                await victim.meet(TrueBody().with("results", result).answer)
                #expect(try await victim.store.pendingCount == 1, "\(number)")
                try await victim.expectRecovery("a stamp of \(number)")
            }
        }
    }

    @Test(arguments: ["stamp", "created", "deleted", "stamps"])
    func aStampInAPageThatIsNoneIsNotTaken(_ member: String) async throws {
        try await Victim.with { victim in
            for number in Self.numbers {
                let record =
                    switch member {
                    case "stamp": TrueBody.record(stamp: number)
                    case "created": TrueBody.record(more: #","created":\#(number)"#)
                    case "stamps": TrueBody.record(more: #","stamps":{"name":\#(number)}"#)
                    default: TrueBody.record(op: "delete", more: #","deleted":\#(number)"#)
                    }
                await victim.meet(TrueBody().with("changes", "[\(record)]").answer)
                #expect(try await victim.store.fields(of: "Business").count == victim.written.count, "\(number)")
                try await victim.expectRecovery("\(member) of \(number)")
            }
        }
    }

    /// There is no later stamp, so all later edits had the same one.
    @Test func theLastStampThatThereIsLeavesRoomForOthers() async throws {
        try await Victim.with { victim in
            let id = UUID()
            let last = "\(Stamp.last.rawValue)"
            let record = TrueBody.record(id: id.uuidString.lowercased(), stamp: last)
            await victim.meet(TrueBody().with("changes", "[\(record)]").answer)
            try await victim.write()
            try await victim.write()
            try await victim.store.write {
                try $0.update(Victim.Business.self, id: RecordID(id)) { $0.name = "1" }
                try $0.update(Victim.Business.self, id: RecordID(id)) { $0.name = "2" }
            }
            let stamps = try Self.pendingStamps(victim.shop.file("victim"))
            #expect(Set(stamps).count == 4 && stamps == stamps.sorted())
            #expect(stamps.allSatisfy { $0 < Stamp(milliseconds: 4_102_444_800_000).rawValue })
        }
    }

    /// A database whose clock was once wrong has such records, and they can be edited.
    @Test func whatHasALateStampIsEditedAfterItAndNothingElseIs() async throws {
        try await Victim.with { victim in
            let id = UUID()
            let late = Stamp(milliseconds: 3_500_000_000_000).rawValue
            let record = TrueBody.record(id: id.uuidString.lowercased(), stamp: "\(late)")
            await victim.meet(TrueBody().with("changes", "[\(record)]").answer)
            try await victim.write()
            for name in ["1", "2"] {
                try await victim.store.write {
                    try $0.update(Victim.Business.self, id: RecordID(id)) { $0.name = name }
                }
            }
            try await victim.write()
            let stamps = try Self.pendingStamps(victim.shop.file("victim"))
            #expect(stamps.count == 4 && stamps[1] == late + 1 && stamps[2] == late + 2)
            #expect(stamps[0] < stamps[3] && stamps[3] < late)
        }
    }

    @Test(arguments: [
        "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2090-01-01T00:00:00Z", "2101-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z", "", "x", "2026-13-01T00:00:00Z",
    ])
    func noTimeOfAServersKeepsEditsFromArriving(_ time: String) async throws {
        try await Victim.with { victim in
            try await victim.write()
            await victim.meet(TrueBody().with("applied", "0").with("serverTime", #""\#(time)""#).answer)
            // Rejected: a single change without a verdict. And an accepted one.
            await victim.meet { request in
                .bytes(
                    (request.isPush ? TrueBody().with("results", #"[{"index":0,"verdict":"held"}]"#) : TrueBody())
                        .with("serverTime", #""\#(time)""#).answer)
            }
            let first = victim.written[0].recordID
            for name in ["1", "2"] {
                try await victim.store.write { try $0.update(Victim.Business.self, id: first) { $0.name = name } }
            }
            let stamps = try Self.pendingStamps(victim.shop.file("victim"))
            #expect(stamps == stamps.sorted() && Set(stamps).count == stamps.count)
            try await victim.expectRecovery(time)
            let there = try await victim.shop.server.view("2.0.0")["Business"] ?? [:]
            #expect(there[first.text]?["name"]?.string == "2", "\(time)")
        }
    }

    @Test(arguments: [-1e300, -62_135_596_800, -1, 0, 9_000_000_000, 9e12, 1e15, 1e300, .infinity, .nan])
    func noClockOfADeviceKeepsEditsFromArriving(_ seconds: Double) async throws {
        try await Victim.with(now: { Date(timeIntervalSince1970: seconds) }) { victim in
            for _ in 0..<3 { try await victim.write() }
            let stamps = try Self.pendingStamps(victim.shop.file("victim"))
            #expect(stamps == stamps.sorted() && Set(stamps).count == 3)
            try await victim.expectRecovery("\(seconds)")
            let first = victim.written[0].recordID
            try await victim.store.write { try $0.update(Victim.Business.self, id: first) { $0.name = "later" } }
            try await victim.expectRecovery("\(seconds)")
            #expect(try await victim.store.record(Victim.Business.self, id: first)?.name == "later")
            // The store as another build of the app opens it.
            _ = try victim.shop.store("victim", now: { Date(timeIntervalSince1970: seconds) })
        }
    }

    /// The state that earlier releases left in a store.
    @Test(arguments: [Int64.max, Stamp.last.rawValue, Stamp.last.rawValue - 2, -1, .min])
    func aStoreWhoseClockIsAbsurdWritesAgain(_ clock: Int64) async throws {
        try await Victim.with { victim in
            try await victim.write()
            try await victim.store.syncOnce()
            let id = victim.written[0].recordID
            for name in ["1", "2", "3"] {
                try await victim.store.write { try $0.update(Victim.Business.self, id: id) { $0.name = name } }
            }
            let database = try SQLiteDatabase(path: victim.shop.file("victim").path)
            let stamp = clock < 0 ? 5 : min(clock, Stamp.last.rawValue)
            try database.execute(
                """
                UPDATE memo SET clock = \(clock), standing = \(clock), replaced_up_to = \(clock),
                    server_milliseconds = \(clock);
                UPDATE change SET stamp = \(stamp), json = json_set(json, '$.stamp', \(stamp));
                UPDATE record SET stamp = \(clock), created = \(clock);
                """)
            let store = try victim.shop.store("victim")
            try await store.write { try $0.update(Victim.Business.self, id: id) { $0.name = "4" } }
            #expect(try await store.record(Victim.Business.self, id: id)?.name == "4")
            try await store.syncOnce()
            let there = try await victim.shop.server.view("2.0.0")["Business"] ?? [:]
            #expect(there[id.text]?["name"]?.string == "4")
            #expect(try await store.pendingCount == 0)
            #expect(try await store.record(Victim.Business.self, id: id)?.name == "4")
        }
    }

    /// This state occurs only in a damaged file.
    @Test(arguments: [Int64.max, -1, .min]) func aStoreWhosePagingIsAbsurdReadsAnew(_ paging: Int64) async throws {
        try await Victim.with { victim in
            try await victim.write()
            try await victim.store.syncOnce()
            try await victim.write()
            try SQLiteDatabase(path: victim.shop.file("victim").path).execute(
                "UPDATE memo SET walk = \(paging); UPDATE record SET walk = \(paging)")
            let store = try victim.shop.store("victim")
            try await store.write { try $0.insert(Shop.business("more")) }
            try await store.syncOnce()
            #expect(try await store.fields(of: "Business").count == 3)
            #expect(try await victim.shop.server.view("2.0.0")["Business"]?.count == 3)
            // A cursor that no request can have.
            try SQLiteDatabase(path: victim.shop.file("victim").path).execute(
                "UPDATE memo SET cursor = hex(zeroblob(1000000))")
            let again = try victim.shop.store("victim")
            try await again.write { try $0.insert(Shop.business("even more")) }
            try await again.syncOnce()
            #expect(try await victim.shop.server.view("2.0.0")["Business"]?.count == 4)
            try SQLiteDatabase(path: victim.shop.file("victim").path).execute("PRAGMA user_version = -1")
            #expect(throws: SyncStoreError.self) { try victim.shop.store("victim") }
        }
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            "inf", "nan", "1e30", "-1", "-1e30", "99999999999999999999999999", "0x10", "",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        ])
    func noRetryAfterEndsAnApp(_ text: String) async throws {
        try await Victim.with { victim in
            try await victim.write()
            for status in [503, 429, 409, 507] {
                let code = [503: "not-ready", 429: "rate-limited", 409: "schema-unknown", 507: "quota-exceeded"]
                victim.liar.say(
                    LyingServer.problem(status, code[status] ?? "", headers: ["Retry-After: \(text)"]))
                let store = victim.store
                let running = Task { await store.run() }
                try await eventually("asked") { !victim.liar.requests.isEmpty }
                try await eventually("pausing") {
                    if case .syncing = await victim.store.status { false } else { true }
                }
                running.cancel()
                await running.value
            }
            try await victim.expectRecovery(text)
        }
    }

    private static func pendingStamps(_ file: URL) throws -> [Int64] {
        var stamps: [Int64] = []
        try SQLiteDatabase(path: file.path).forEach("SELECT stamp FROM change ORDER BY place") {
            stamps.append($0.int(0))
        }
        return stamps
    }
}
