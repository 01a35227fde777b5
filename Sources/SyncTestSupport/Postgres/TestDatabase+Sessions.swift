package import Postgres
package import SyncTesting

extension TestDatabase {
    /// Runs an SQL statement as superuser, in a session of its own.
    package func run(_ sql: String) async throws {
        let session = try await Session.open(superuserConnectionString)
        try await session.execute(Command(Statement(unchecked: sql)))
        await session.close()
    }

    /// Calls `body` with a connection pool like that of a server: its sessions have the role that serves requests.
    package func withServingPool(_ body: (Pool) async throws -> Void) async throws {
        let pool = Pool(connectionString, role: "syncserver_serving", limits: .patient(sessionsMax: 2))
        do {
            try await body(pool)
            await pool.close()
        } catch {
            await pool.close()
            throw error
        }
    }
}
