import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import WireFormats

/// A database of `ShelvesPlan`, and sessions like those that serve it.
struct ShelvesScene: Sendable {
    let plan: Plan
    let tables: [RecordTable]
    let database: TestDatabase
    private let lines: [MigrationLine]

    /// The table of the books.
    var table: RecordTable { tables.first { $0.entity.table == "book" }! }

    static func with(_ body: (ShelvesScene) async throws -> Void) async throws {
        let plan = try Plan(ShelvesPlan.self)
        let lines = try Repository.migrations() + [ShelvesPlan.migrations()]
        try await withTestDatabase(migrated: lines) { database in
            let tables = plan.hub.entities.map { RecordTable($0, schema: plan.hub.schema) }
            try await body(ShelvesScene(plan: plan, tables: tables, database: database, lines: lines))
        }
    }

    /// As the pool of a server opens it: behind the wall between spaces.
    func session(_ settings: SessionSettings = .serving) async throws -> Session {
        let session = try await Session.open(
            database.servingConnectionString, role: LoginRights.servingRoleName, settings: settings)
        try await session.execute(Spaces.opening(for: lines.map { ($0.name, $0.level) }))
        return session
    }

    /// Runs statements as a superuser, who sees all spaces.
    func administer(_ statements: String...) async throws {
        let session = try await Session.open(database.superuserConnectionString)
        for sql in statements { try await session.execute(Command(Statement(unchecked: sql))) }
        await session.close()
    }

    /// The first column, as a superuser reads it.
    func ids(_ sql: String) async throws -> [ID] {
        let session = try await Session.open(database.superuserConnectionString)
        let rows = try await session.execute(Command(Statement(unchecked: sql)))
        await session.close()
        return (0..<rows.count).map { rows.id($0, 0) }
    }
}
