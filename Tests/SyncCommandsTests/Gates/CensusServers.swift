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

/// A database with a census, and stand-ins for servers of it.
struct CensusServers {
    let plan: Plan
    let database: TestDatabase
    let pool: Pool
    let session: Session

    /// A server, with the session that says that it is there.
    func begin() async throws -> (census: Census, presence: Session) {
        let census = Census([plan])
        let presence = try await Session.open(database.connectionString)
        try await presence.execute(CensusTable.registration(of: census.server))
        return (census, presence)
    }

    func see(_ version: String, _ census: Census, by device: ID, at time: Timestamp) throws {
        let index = try #require(ShapeName(version).flatMap { plan.index(of: $0) })
        census.taker(for: 0).note(index, by: device, of: "anna", outboxAge: nil, at: time)
    }

    /// PostgreSQL itself notices a moment later that a session has ended.
    func notice(by census: Census, at time: Timestamp) async throws {
        try await eventually("the others are gone") {
            let counting = CensusTable.counting(census.server, at: time, unnoticed: Census.slack)
            _ = try await pool.withSession { session in try await session.execute(counting) }
            return try await session.execute("SELECT count(*) FROM sync.census_server").int(0, 0) == 1
        }
    }

    /// Keeps the census from being written.
    func breakWriting(_ way: CensusBreakage) async throws { try await run(way.statements) }

    func mendWriting(_ way: CensusBreakage) async throws { try await run(way.remedy) }

    /// Runs a script as superuser.
    func run(_ script: String) async throws {
        let superuser = try await Session.open(database.superuserConnectionString)
        try await superuser.runScript(script)
        await superuser.close()
    }

    func answer(at now: Timestamp) async throws -> CensusGate.Answer {
        try await ask(CensusGate("census(<0.0.8)=0 for 30d"), now, session)
    }

    private func ask(
        _ gate: CensusGate, _ now: Timestamp, _ session: isolated Session
    ) throws -> CensusGate.Answer { try gate.answer(for: plan, at: now, session) }

    func doubt(at now: Timestamp) async throws -> CensusGate.Obstacle.Doubt? {
        guard case .notYet(let obstacle) = try await answer(at: now) else {
            Issue.record("The gate is open.")
            return nil
        }
        return obstacle.doubt
    }

    /// Lends one in a database of its own.
    static func lend(_ body: (CensusServers) async throws -> Void) async throws {
        let plan = try Plan(FitIQPlan.self)
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await database.withServingPool { pool in
                let session = try await database.session()
                try await body(CensusServers(plan: plan, database: database, pool: pool, session: session))
                await session.close()
            }
        }
    }
}
