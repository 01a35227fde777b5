import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// Contract steps, which wait until no server needs what they remove.
@Suite struct ContractTests {
    private static let first = "CREATE SCHEMA app; CREATE TABLE app.t (x bigint, y bigint)"
    private static let second = """
        -- phase: expand
        ALTER TABLE app.t ADD COLUMN z bigint;
        -- phase: contract
        ALTER TABLE app.t DROP COLUMN y;
        """

    @Test func aContractWaitsUntilItIsAskedFor() async throws {
        try await withTestDatabase { database in
            let migrator = try await expanded(database)
            #expect(try await migrator.status().last?.state == .open(next: .contract))
            #expect(try await migrator.up().left.map(\.step.phase) == [.contract])
            #expect(try await migrator.up(contracts: .run).applied == ["app/0002-do-it.sql"])
            #expect(try await columns(database) == 2)
        }
    }

    @Test("M23: a contract waits for a server that needs what it removes")
    func aServerThatNeedsWhatGoesHoldsItUp() async throws {
        try await withTestDatabase { database in
            let migrator = try await expanded(database)
            let old = try await ServerRegistration.announce(database.connectionString, [line(1)])
            let new = try await ServerRegistration.announce(database.connectionString, [line(2)])
            let held = try await migrator.up(contracts: .run).left
            #expect(held.first?.reason.contains("app/1") == true, "\(held)")
            #expect(try await columns(database) == 3)
            await old.end()
            #expect(try await migrator.up(contracts: .run).left.isEmpty)
            #expect(try await columns(database) == 2)
            await new.end()
            // From now on the old server cannot start again.
            let error = try #require(
                await #expect(throws: MigrationError.self) {
                    try await ServerRegistration.announce(database.connectionString, [line(1)])
                })
            guard case .contracted("app", level: 1, floor: 2) = error else { Issue.record("\(error)"); return }
        }
    }

    @Test("M23: a server starts only with a schema that it knows")
    func aServerStartsOnlyWithWhatItKnows() async throws {
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: [line(1)]).up()
            let error = try #require(
                await #expect(throws: MigrationError.self) {
                    try await ServerRegistration.announce(database.connectionString, [line(2)])
                })
            guard case .notServable("app/0002-do-it.sql", .pending, count: 1) = error else {
                Issue.record("\(error)")
                return
            }
            _ = try await expanded(database)
            let new = try await ServerRegistration.announce(database.connectionString, [line(2)])
            #expect(new.rollouts["app"]?.hasContractsLeft == true)
            let old = try await ServerRegistration.announce(database.connectionString, [line(1)])
            #expect(old.rollouts["app"]?.isAhead == true)
            await new.end()
            await old.end()
        }
    }

    @Test("M24: a requirement must hold")
    func whatIsRequiredMustHold() async throws {
        try await withTestDatabase { database in
            let text = Self.second.replacing("-- phase: contract", with: "-- phase: contract\n-- requires: full moon")
            try await Migrator(database.connectionString, lines: [line(1)]).up()
            let line = try line([Self.first, text])
            let migrator = Migrator(database.connectionString, lines: [line])
            #expect(try await migrator.up(contracts: .run).left.first?.reason.contains("full moon") == true)
            let held = try await migrator.up(contracts: .run) { requirement, file, _ in
                "\(file.id.number): \(requirement) is on Tuesday."
            }.left
            #expect(held.first?.reason == "2: full moon is on Tuesday.")
            let run = try await migrator.up(contracts: .run, gate: { _, _, _ in nil })
            #expect(run.left.isEmpty)
        }
    }

    /// No server can use a database that does not exist yet, so nothing has to wait.
    @Test func aNewDatabaseIsMadeWhole() async throws {
        try await withTestDatabase { database in
            let run = try await Migrator(database.connectionString, lines: [line(2)]).up()
            #expect(run.left.isEmpty)
            #expect(try await columns(database) == 2)
        }
    }

    private func expanded(_ database: TestDatabase) async throws -> Migrator {
        try await Migrator(database.connectionString, lines: [line(1)]).up()
        let migrator = try Migrator(database.connectionString, lines: [line(2)])
        try await migrator.up()
        return migrator
    }

    private func columns(_ database: TestDatabase) async throws -> Int64 {
        let query: Command = """
            SELECT count(*) FROM pg_attribute WHERE attrelid = 'app.t'::regclass AND attnum > 0 AND NOT attisdropped
            """
        return try await database.session().execute(query).int(0, 0)
    }

    private func line(_ count: Int) throws -> MigrationLine {
        try line(Array([Self.first, Self.second].prefix(count)))
    }

    private func line(_ scripts: [String]) throws -> MigrationLine {
        let files = try scripts.enumerated().map { index, sql in
            try MigrationFile(line: "app", fileName: "000\(index + 1)-do-it.sql", bytes: Array(sql.utf8))
        }
        return try MigrationLine(name: "app", files: files)
    }
}
