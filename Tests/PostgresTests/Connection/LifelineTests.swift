import SyncTestSupport
import SyncTesting
import Testing

@testable import Postgres

/// Each wait would last for ever: what ends it is the cut.
@Suite struct LifelineTests {
    @Test func cuttingItEndsAStatementThatIsWaitedFor() async throws {
        try await withTestDatabase { database in
            let lifeline = Lifeline()
            let session = try await Session.open(
                database.connectionString, settings: .migrating, lifeline: lifeline)
            let processID = await session.serverProcessID
            let watcher = try await database.session()
            let statement = Task { _ = try await session.execute("SELECT pg_sleep_until('infinity')") }
            try await eventually("the statement runs") {
                let rows = try await watcher.execute(
                    Command(
                        "SELECT FROM pg_stat_activity WHERE pid = $1::integer AND wait_event = 'PgSleep'",
                        [.int(Int64(processID))]))
                return rows.count == 1
            }
            lifeline.cut()
            let error = await #expect(throws: PGError.self) { try await statement.value }
            #expect(error?.caseName == "connectionLost")
            #expect(!session.isUsable)
            await watcher.close()
        }
    }

    @Test func cuttingItEndsALoginThatIsWaitedFor() async throws {
        let (lifeline, listener) = (Lifeline(), SilentListener())
        let string = try ConnectionString("host=127.0.0.1 port=\(listener.port) connect_timeout=0")
        let login = Task { _ = try await Session.open(string, lifeline: lifeline) }
        try await eventually("somebody has connected") { listener.isConnected() }
        lifeline.cut()
        let error = await #expect(throws: PGError.self) { try await login.value }
        #expect(error?.caseName == "unreachable")
        withExtendedLifetime(listener) {}
    }

    @Test func nothingIsOpenedOnOneThatIsCut() async throws {
        try await withTestDatabase { database in
            let lifeline = Lifeline()
            lifeline.cut()
            let pool = Pool(database.connectionString, lifeline: lifeline)
            let error = await #expect(throws: PGError.self) {
                try await pool.withSession { session in try await session.execute("SELECT 1") }
            }
            #expect(error?.caseName == "unreachable" && pool.counts.open == 0)
            await pool.close()
        }
    }
}
