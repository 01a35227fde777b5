import DemoApps
import HTTPServer
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Promise P7: plan, migration files and database agree, or `serve` refuses to start and says what differs.
@Suite struct StartingTests {
    struct Difference: CustomTestStringConvertible, Sendable {
        let statement: Statement
        /// The names that the refusal has.
        let names: [String]
        var testDescription: String { statement.sql }
    }

    static let differences = [
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal DROP COLUMN notes",
            names: ["fitiq.sd_meal.notes", "missing", "text"]),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal ALTER COLUMN total_calories TYPE integer",
            names: ["fitiq.sd_meal.total_calories", "integer", "bigint"]),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal ALTER COLUMN raw_input DROP NOT NULL",
            names: ["fitiq.sd_meal.raw_input", "NOT NULL"]),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal ALTER COLUMN notes SET NOT NULL",
            names: ["fitiq.sd_meal.notes", "nullable"]),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal ADD COLUMN surprise text",
            names: ["fitiq.sd_meal.surprise", "no such"]),
        Difference(statement: "DROP TABLE fitiq.sd_meal", names: ["fitiq.sd_meal", "SDMeal", "missing"]),
        Difference(statement: "CREATE TABLE fitiq.surprise (id uuid)", names: ["fitiq.surprise"]),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal DISABLE ROW LEVEL SECURITY",
            names: ["fitiq.sd_meal", "row-level security"]
        ),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal NO FORCE ROW LEVEL SECURITY",
            names: ["fitiq.sd_meal", "row-level security"]),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal OWNER TO syncserver_serving",
            names: ["syncserver_serving", "owner of 1"]),
        Difference(
            statement: "DROP POLICY space ON fitiq.sd_meal", names: ["fitiq.sd_meal", "policy"]),
        Difference(
            statement: "CREATE POLICY open ON fitiq.sd_meal USING (true)", names: ["fitiq.sd_meal", "policy"]),
        Difference(
            statement: "REVOKE INSERT ON fitiq.sd_meal FROM syncserver_serving", names: ["fitiq.sd_meal", "INSERT"]),
        Difference(
            statement: "ALTER TABLE sync.space DISABLE ROW LEVEL SECURITY",
            names: ["sync.space", "row-level security"]),
        Difference(
            statement: "CREATE POLICY open ON sync.clamp AS RESTRICTIVE USING (true)", names: ["sync.clamp", "policy"]),
    ]

    @Test(
        "S4_03, S5_16, M22, M28: a database that differs from the plan is not served, and what differs is said",
        arguments: differences)
    func aDatabaseThatDiffersFromThePlanIsNotServed(difference: Difference) async throws {
        let lines = try Repository.migrations()
        try await withTestDatabase(migrated: lines) { database in
            let session = try await Session.open(database.superuserConnectionString)
            try await session.execute(Command(difference.statement))
            await session.close()
            let message = try await refusal(database, lines)
            for name in difference.names + ["syncserver migrate up"] {
                #expect(message.contains(name), "\(message)")
            }
        }
    }

    @Test("M25: a pending migration is named with the command that applies it")
    func aPendingMigrationIsNamedWithTheCommandThatAppliesIt() async throws {
        let lines = try Repository.migrations()
        let older = try lines.map { line in
            try MigrationLine(name: line.name, files: line.name == "fitiq" ? Array(line.files.dropLast()) : line.files)
        }
        try await withTestDatabase(migrated: older) { database in
            let message = try await refusal(database, lines)
            #expect(message.contains(try #require(lines.first { $0.name == "fitiq" }?.files.last).path))
            #expect(message.contains("syncserver migrate up") && message.contains("pending"), "\(message)")
        }
    }

    @Test func anEmptyDatabaseIsNotServed() async throws {
        try await withTestDatabase { database in
            let message = try await refusal(database, Repository.migrations())
            #expect(message.contains("syncserver migrate up") && message.contains("sync/0001"), "\(message)")
        }
    }

    /// Whom the serving role must not be, whatever a team's own setup makes of it.
    @Test("M30: the owner and a superuser may not serve")
    func theOwnerAndASuperuserMayNotServe() async throws {
        let lines = try Repository.migrations()
        try await withTestDatabase(migrated: lines) { database in
            for (string, fault) in [
                (database.connectionString, "owner of"), (database.superuserConnectionString, "superuser"),
            ] {
                let session = try await Session.open(string)
                let found = try await powers(session)
                await session.close()
                #expect(found.contains { $0.message.contains(fault) }, "\(found)")
            }
            let serving = try await Session.open(database.connectionString, role: "syncserver_serving")
            #expect(try await powers(serving).isEmpty)
            await serving.close()
        }
    }

    private func powers(_ session: isolated Session) throws -> [Agreement.Difference] {
        try Agreement.excessivePowers(of: ["fitiq", "sync"], session)
    }

    /// Returns the error of a server that does not start.
    private func refusal(_ database: TestDatabase, _ lines: [MigrationLine]) async throws -> String {
        do {
            let service = try await RunningServer.start(
                .init(), plans: [try Plan(FitIQPlan.self)], lines: lines,
                database: database.connectionString, log: Log(isSilent: true))
            await service.stop()
            return "It was served."
        } catch {
            return "\(error)"
        }
    }
}
