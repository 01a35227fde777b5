package import Postgres
package import SyncTesting

extension TestDatabase {
    /// Runs a statement as superuser.
    package func run(_ sql: String) async throws {
        let session = try await Session.open(superuserConnectionString)
        try await session.execute(Command(Statement(unchecked: sql)))
        await session.close()
    }

    /// Passes a pool in the role that serves requests to `body`, like the pool of a server.
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
