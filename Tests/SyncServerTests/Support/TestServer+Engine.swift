import Postgres
import SyncEngine
import SyncTestSupport
import SyncTesting
import WireFormats

extension TestServer {
    /// Lends an engine of its own over the server's database, as commands have one.
    func withEngine<Value>(
        readFaults: ReadFaults = ReadFaults(), returning: ReturningBudget = ReturningBudget(),
        _ body: (SyncEngine) async throws -> Value
    ) async throws -> Value {
        try await database.withEngine(plan, readFaults: readFaults, returning: returning, body)
    }
}

extension TestDatabase {
    /// Lends an engine over a migrated database.
    func withEngine<Value>(
        _ plan: Plan, readFaults: ReadFaults = ReadFaults(), returning: ReturningBudget = ReturningBudget(),
        _ body: (SyncEngine) async throws -> Value
    ) async throws -> Value {
        let pool = Pool(connectionString, role: "syncserver_serving", limits: .patient(sessionsMax: 2))
        do {
            let value = try await body(
                SyncEngine(plan: plan, pool: pool, readFaults: readFaults, returning: returning))
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }
}
