import HTTPServer
import Postgres
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Synchronization
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// `serve --standby`: large pages are read from a standby, and never show less than the primary has.
///
/// The standby is a dump that was restored beside the database: one that has stood still since.
@Suite struct StandbyTests {
    /// A value by which a record shows that it was read from the standby.
    private static let mark = "read from the standby"

    /// - Parameter body: is given another server with the standby, and what it logs.
    private func withStandby(
        records: Int, _ body: (TestServer, RunningServer, LogLines) async throws -> Void
    ) async throws {
        try await withTestServer { (server) async throws in
            for _ in 0..<(records / 500) {
                let changes = (0..<500).map { _ in
                    JSONValue.create("SDMeal", .random(), ["notes": "here"], at: moment(1))
                }
                _ = try await server.post(changes)
            }
            let folder = try TemporaryDirectory()
            try server.database.dump(to: "\(folder.path)/dump")
            try await withTestDatabase { copy in
                try await copy.restore(from: "\(folder.path)/dump")
                let session = try await Session.open(copy.superuserConnectionString)
                try await session.execute(
                    Command("UPDATE fitiq.sd_meal SET notes = $1", [.text(StandbyTests.mark)]))
                await session.close()
                let lines = LogLines()
                try await server.withSecondServer(standby: copy.servingConnectionString, log: lines.log) { second in
                    try await body(server, second, lines)
                }
            }
        }
    }

    private func page(
        _ server: TestServer, _ second: RunningServer, after cursor: String? = nil
    ) async throws -> JSONValue {
        let target = server.path() + "?limit=5000" + (cursor.map { "&cursor=\($0)" } ?? "")
        let reply = try await TestClient(port: second.port).request("GET", target, headers: server.headers())
        #expect(reply.status == 200, "\(reply)")
        return reply.json
    }

    private func isMarked(_ page: JSONValue) -> Bool {
        page["changes"].elements.contains { $0["fields"]["notes"].string == StandbyTests.mark }
    }

    @Test func whatIsMuchIsReadThere() async throws {
        try await withStandby(records: 1_500) { server, second, _ in
            let page = try await page(server, second)
            #expect(isMarked(page) && page["changes"].elements.count == 1_500)
            #expect(second.standbyCounts == Standby.Counts(read: 1))
            // What follows is little, and the primary's.
            _ = try await server.post([.create("SDMeal", .random(), at: moment(2))])
            let rest = try await self.page(server, second, after: page["cursor"].string)
            #expect(!isMarked(rest) && rest["changes"].elements.count == 1)
            #expect(second.standbyCounts == Standby.Counts(read: 1))
        }
    }

    /// It lacks one record, which a device may have received.
    @Test func whatIsBehindIsNotShown() async throws {
        try await withStandby(records: 1_500) { server, second, _ in
            _ = try await server.post([.create("SDMeal", .random(), at: moment(2))])
            for _ in 1...2 {
                let page = try await page(server, second)
                #expect(!isMarked(page) && page["changes"].elements.count == 1_501)
            }
            #expect(second.standbyCounts?.read == 0 && (second.standbyCounts?.behind ?? 0) >= 1)
        }
    }

    /// A device that has read what it does not know is answered by the primary.
    @Test func aCursorThatItDoesNotKnowIsThePrimarys() async throws {
        try await withStandby(records: 1_500) { server, second, _ in
            let old = try await page(server, second)["cursor"].string
            let changes = (0..<1_500).map { _ in JSONValue.create("SDMeal", .random(), at: moment(2)) }
            _ = try await server.post(changes)
            let page = try await self.page(server, second, after: old)
            #expect(!isMarked(page) && page["changes"].elements.count == 1_500)
        }
    }

    @Test func withoutItThePrimaryDoesIt() async throws {
        try await withStandby(records: 1_000) { server, second, lines in
            let standby = SilentListener()
            _ = second
            let nowhere = try ConnectionString("host=127.0.0.1 port=\(standby.port) connect_timeout=2")
            try await server.withSecondServer(standby: nowhere, log: lines.log) { third in
                for _ in 1...2 {
                    let page = try await page(server, third)
                    #expect(!isMarked(page) && page["changes"].elements.count == 1_000)
                }
                #expect((third.standbyCounts?.failed ?? 0) >= 1)
            }
            #expect(lines.all.count { $0.contains("the standby cannot be read") } == 1)
        }
    }

    /// Whoever asks in vain does so once in a while.
    @Test func whatFailsRests() async throws {
        let now = Mutex(ContinuousClock.now)
        let notes = Mutex(0)
        let standby = Standby(
            pool: Pool { () throws(PGError) in throw .poolOverloaded }, clock: { now.withLock { $0 } },
            note: { _ in notes.withLock { $0 += 1 } })
        var asked = 0
        for seconds in [0, 1, 3, 1, 4, 2] {
            now.withLock { $0 += .seconds(seconds) }
            let page = await standby.page(upTo: 0) { _ in
                asked += 1
                throw PGError.poolOverloaded
            }
            #expect(page == nil)
        }
        #expect(asked == 3, "at once, after 5 s, after 11")
        #expect(standby.counts == Standby.Counts(failed: 3))
        #expect(notes.withLock { $0 } == 1)
        await standby.close()
    }

    @Test func noPageIsWrittenThere() async throws {
        try await withStandby(records: 1_000) { server, second, _ in
            let record = ID.random()
            let reply = try await TestClient(port: second.port).request(
                "POST", server.path(), headers: server.headers(),
                body: JSONValue.object(["changes": .array([.create("SDMeal", record, at: moment(3))])]).bytes)
            #expect(reply.status == 200)
            let page = try await server.send("GET", "\(server.path())?limit=5000")
            #expect(page.json["changes"].elements.contains { $0["id"].string == record.description })
        }
    }
}
