import Postgres
package import SyncEngine
package import SyncTesting
package import WireFormats

extension TestServer {
    /// Calls `body` with an engine over the server's database. It is separate from the engine that the server uses,
    /// like the engine of a `syncserver` command.
    package func withEngine<Value>(
        readFaults: ReadFaults = ReadFaults(), returning: ReturningBudget = ReturningBudget(),
        _ body: (SyncEngine) async throws -> Value
    ) async throws -> Value {
        try await database.withEngine(plan, readFaults: readFaults, returning: returning, body)
    }
}

extension TestDatabase {
    /// Passes an engine over this database, which must be migrated, to `body`.
    package func withEngine<Value>(
        _ plan: Plan, readFaults: ReadFaults = ReadFaults(), returning: ReturningBudget = ReturningBudget(),
        _ body: (SyncEngine) async throws -> Value
    ) async throws -> Value {
        let pool = Pool(connectionString, role: "syncserver_serving", limits: .patient(sessionsMax: 2))
        do {
            let value = try await body(
                SyncEngine(
                    plan: plan, databases: Databases(directory: pool), readFaults: readFaults, returning: returning))
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }
}
