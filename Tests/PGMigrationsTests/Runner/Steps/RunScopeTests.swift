import PGMigrations
import SyncTestSupport
import SyncTesting
import Testing

/// Runs without backfills, and runs of nothing but backfills.
@Suite struct RunScopeTests {
    private static let first = """
        -- sync: silent
        CREATE TABLE sync.note (words text, length bigint);
        INSERT INTO sync.note VALUES ('one');
        """
    private static let steps = """
        -- sync: silent
        -- phase: expand
        ALTER TABLE sync.note ADD COLUMN shape text;
        -- phase: backfill
        UPDATE sync.note SET shape = 'round';
        -- phase: verify
        SELECT words FROM sync.note WHERE shape IS NULL;
        -- phase: contract
        ALTER TABLE sync.note ALTER COLUMN shape SET NOT NULL;
        """
    private static let last = "ALTER TABLE sync.note ADD COLUMN size bigint"

    @Test func quickStepsAndBackfillsAreRunApart() async throws {
        try await withTestDatabase { database in
            try await migrator(database, ["app": [Self.first]]).up()
            let migrator = try migrator(database, ["app": [Self.first, Self.steps, Self.last], "other": ["SELECT 1"]])
            let quick = try await migrator.up(scope: .beforeBackfills)
            #expect(quick.applied == ["app/0002-do-it.sql", "other/0001-do-it.sql"])
            #expect(
                quick.left.map { "\($0.step)" } == [
                    "app/0002-do-it.sql (backfill)", "app/0002-do-it.sql (verify)", "app/0002-do-it.sql (contract)",
                    "app/0003-do-it.sql",
                ])
            #expect(quick.left[0].reason == "Run ‘syncserver migrate backfill’.")
            #expect(try await states(migrator) == ["applied", "backfill-pending", "pending", "applied"])

            let long = try await migrator.up(scope: .onlyBackfills)
            #expect(long.applied == ["app/0002-do-it.sql"] && long.left.isEmpty)
            #expect(try await states(migrator) == ["applied", "contract-pending", "pending", "applied"])
            #expect(try await migrator.up(scope: .onlyBackfills).applied == [])

            #expect(try await migrator.up(scope: .beforeBackfills).applied == ["app/0003-do-it.sql"])
            #expect(try await migrator.up(contracts: .run, scope: .beforeBackfills).left == [])
            #expect(try await states(migrator).allSatisfy { $0 == "applied" })
        }
    }

    @Test func aBackfillWhoseExpandIsPendingIsNotRun() async throws {
        try await withTestDatabase { database in
            try await migrator(database, ["app": [Self.first]]).up()
            let migrator = try migrator(database, ["app": [Self.first, Self.steps]])
            let run = try await migrator.up(scope: .onlyBackfills)
            #expect(run.applied == [])
            #expect(
                run.left.map { "\($0.step)" } == ["app/0002-do-it.sql (backfill)", "app/0002-do-it.sql (verify)"])
            #expect(run.left[0].reason.contains("‘syncserver migrate up’ is to run app/0002-do-it.sql (expand)"))
            #expect(try await states(migrator) == ["applied", "pending"])
        }
    }

    /// The apps' files may depend on the server's own tables.
    @Test func whatComesAfterABackfillOfTheServersOwnWaitsInEveryLine() async throws {
        try await withTestDatabase { database in
            try await migrator(database, ["sync": [Self.first]]).up()
            let migrator = try migrator(database, ["sync": [Self.first, Self.steps], "app": ["SELECT 1"]])
            let run = try await migrator.up(contracts: .run, scope: .beforeBackfills)
            #expect(run.applied == ["sync/0002-do-it.sql"])
            #expect(run.left.map(\.step.path).last == "app/0001-do-it.sql")
        }
    }

    @Test func aNewDatabaseHasNothingToLeaveAndNothingToFill() async throws {
        try await withTestDatabase { database in
            let migrator = try migrator(database, ["app": [Self.first, Self.steps]])
            #expect(try await migrator.up(scope: .onlyBackfills).applied == [])
            let run = try await migrator.up(scope: .beforeBackfills)
            #expect(run.left == [])
            #expect(try await states(migrator) == ["applied", "applied"])
        }
    }

    /// - Parameter lines: the texts of their files; the server's own line first, then by name.
    private func migrator(_ database: TestDatabase, _ lines: [String: [String]]) throws -> Migrator {
        let own = MigrationLine.serverLineName
        let sorted = lines.sorted { ($0.key == own ? "" : $0.key) < ($1.key == own ? "" : $1.key) }
        return Migrator(
            database.connectionString,
            lines: try sorted.map { name, scripts in
                let files = try scripts.enumerated().map { index, sql in
                    try MigrationFile(line: name, fileName: "000\(index + 1)-do-it.sql", bytes: Array(sql.utf8))
                }
                return try MigrationLine(name: name, files: files)
            })
    }

    private func states(_ migrator: Migrator) async throws -> [String] {
        try await migrator.status().map(\.state.name)
    }
}
