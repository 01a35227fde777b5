import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// Commands through a real pgbouncer. If it gives each transaction another session, neither migrations nor servers
/// work, and both report this before they do anything.
@Suite(.enabled(if: PgBouncer.program != nil, "There is no pgbouncer here"))
struct PoolerTests {
    @Test("M8: a pooler in transaction mode is refused") func oneInTransactionModeIsRefused() async throws {
        try await withTestDatabase { database in
            try await PgBouncer.with(.transaction, database) { string in
                // Statements that one client prepares in a session of the pooler stay in that session.
                let other = try await Session.open(string)
                try await other.execute("SELECT 'something else'")
                await other.close()
                for words in [
                    ["migrate", "up"], ["serve", "--port", "0", "--migrate", "auto"],
                    ["migrate", "resolve", "fitiq/1", "--as", "applied", "--because", "a test"],
                ] {
                    try await refuses(words, string)
                }
                let session = try await database.session()
                let made = try await session.execute("SELECT to_regnamespace('sync') IS NULL")
                #expect(made.bool(0, 0), "Something was made after all.")
                await session.close()
            }
        }
    }

    @Test("M8: a server does not serve through a pooler in transaction mode")
    func aServerDoesNotServeThroughOneInTransactionMode() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await PgBouncer.with(.transaction, database) { string in
                for _ in 1...2 { try await refuses(["serve", "--port", "0"], string) }
            }
        }
    }

    @Test("M8: the doctor finds a pooler in transaction mode")
    func theDoctorFindsOneInTransactionMode() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            for (mode, isFound) in [(PgBouncer.Mode.transaction, true), (.session, false)] {
                try await PgBouncer.with(mode, database) { string in
                    // The second client meets the statements that the first has prepared.
                    for _ in 1...2 {
                        let found = try await Doctor.ofRepository(string).examine().findings
                        #expect(found.contains { $0.check == .pooler } == isFound, "\(found)")
                    }
                }
            }
        }
    }

    /// The same commands through the same program; without them, the refusals would prove nothing.
    @Test("M8: a pooler in session mode serves") func oneInSessionModeServes() async throws {
        try await withTestDatabase { database in
            try await PgBouncer.with(.session, database) { string in
                let run = try await CommandRun(["migrate", "up"], database: string)
                #expect(run.status == 0, "\(run.errors)")
                let server = ServerProcess()
                let port = try await server.start(string)
                let reply = try await TestClient(port: port).request("GET", "/readyz")
                #expect(reply.status == 200, "\(reply)")
                await server.kill9()
            }
        }
    }

    private func refuses(_ words: [String], _ string: ConnectionString) async throws {
        let run = try await CommandRun(words, database: string)
        #expect(run.status == 1, "\(words)")
        #expect(run.errors.contains("a pooler that gives each transaction another session"), "\(run.errors)")
        #expect(run.errors.contains("Give one that leads to PostgreSQL itself"), "\(run.errors)")
    }
}
