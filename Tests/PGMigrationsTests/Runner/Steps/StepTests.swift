import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// Single steps in each of their modes, and the reports about them.
@Suite struct StepTests {
    @Test func eachStepIsRunAndRememberedByItself() async throws {
        try await withTestDatabase { database in
            let line = try line(
                [
                    """
                    -- phase: expand
                    CREATE SCHEMA app; CREATE TABLE app.t (id bigint PRIMARY KEY, x bigint);
                    INSERT INTO app.t SELECT n FROM generate_series(1, 10) AS n;
                    -- phase: verify
                    SELECT id FROM app.t WHERE x IS NULL;
                    """
                ], effect: "silent")
            let migrator = Migrator(database.connectionString, lines: [line])
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            guard case .unverified("app/0001-do-it.sql", line: 6, count: 10, first: "(1)") = error else {
                Issue.record("\(error)")
                return
            }
            // Completed statements stay, and are not run again.
            #expect(try await state(migrator) == .failedClean(.verify))
            let session = try await database.session()
            try await session.execute("UPDATE app.t SET x = 1")
            #expect(try await migrator.up().applied == ["app/0001-do-it.sql"])
            guard case .applied = try await state(migrator) else { Issue.record("not applied"); return }
            #expect(try await session.execute("SELECT count(*) FROM sync.migration_step").int(0, 0) == 2)
            try await migrator.verify()
            try await session.execute("UPDATE app.t SET x = NULL WHERE id = 3")
            await #expect(throws: MigrationError.self) { try await migrator.verify() }
        }
    }

    /// The columns of the query may have any name, type and number.
    @Test(arguments: [
        "SELECT max(x) AS found FROM app.t", "SELECT NULL AS found", "SELECT NULL::bigint AS found, 1 AS found",
        "SELECT ARRAY[1] AS found", "SELECT 'NaN'::double precision AS found", "SELECT FROM app.t LIMIT 1",
        "SELECT '\\x00'::bytea", "SELECT ROW(NULL)", "SELECT NULL::app.t AS found", "SELECT t FROM app.t",
    ])
    func whateverAVerifyQueryReturnsIsAnError(query: String) async throws {
        try await withTestDatabase { database in
            let sql = """
                -- phase: expand
                CREATE SCHEMA app; CREATE TABLE app.t (id bigint PRIMARY KEY, x bigint); INSERT INTO app.t VALUES (1);
                -- phase: verify
                \(query);
                """
            let migrator = Migrator(database.connectionString, lines: [try line([sql], effect: "silent")])
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            guard case .unverified = error else { Issue.record("\(query): \(error)"); return }
            #expect("\(error)".contains("must return no row") && "\(error)".contains("HAVING"), "\(error)")
        }
    }

    @Test("M19: a step that changes an app's rows must declare its effect on devices")
    func rowsOfAnAppDoNotChangeWithoutAWordOnDevices() async throws {
        try await withTestDatabase { database in
            let line = try line(["CREATE SCHEMA app; CREATE TABLE app.t (x bigint);\nINSERT INTO app.t VALUES (1)"])
            let migrator = Migrator(database.connectionString, lines: [line])
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            guard case .undeclared("app/0001-do-it.sql", line: 2) = error else { Issue.record("\(error)"); return }
            #expect(try await state(migrator) == .pending)
        }
    }

    @Test func indicesAreBuiltBesideAnOpenTransaction() async throws {
        try await withTestDatabase { database in
            let lines = try [line(["CREATE SCHEMA app; CREATE TABLE app.t (x bigint)", Self.indices])]
            let migrator = Migrator(database.connectionString, lines: lines)
            try await migrator.up()
            let session = try await database.session()
            let names = try await session.execute(
                "SELECT count(*) FROM pg_indexes WHERE schemaname = 'app' AND indexname IN ('by_x', 'by_y')")
            #expect(names.int(0, 0) == 2)
        }
    }

    /// A failed `CREATE INDEX CONCURRENTLY` leaves an index that exists and cannot be used.
    @Test("M6: an invalid index is dropped and built anew")
    func anInvalidIndexIsBuiltAnew() async throws {
        try await withTestDatabase { database in
            let unique = """
                -- migrate: transaction=none
                CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS one_x ON app.t (x);
                """
            let rows =
                "-- sync: silent\nCREATE SCHEMA app; CREATE TABLE app.t (x bigint); INSERT INTO app.t VALUES (1), (1)"
            let migrator = try Migrator(database.connectionString, lines: [line([rows, unique])])
            await #expect(throws: MigrationError.self) { try await migrator.up() }
            #expect(try await states(migrator).last == .failedPartial(.expand))
            let session = try await database.session()
            let invalid: Command = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'app.one_x'::regclass"
            #expect(try await !session.execute(invalid).bool(0, 0))
            // IF NOT EXISTS alone would accept the existing index.
            await #expect(throws: MigrationError.self) { try await migrator.up() }
            try await session.execute("DELETE FROM app.t WHERE ctid = '(0,1)'")
            #expect(try await migrator.up().applied == ["app/0002-do-it.sql"])
            #expect(try await session.execute(invalid).bool(0, 0))
        }
    }

    @Test("M20: completed statements are not run again")
    func statementsThatAreDoneAreNotDoneAgain() async throws {
        try await withTestDatabase { database in
            let text = """
                -- migrate: transaction=none
                CREATE TABLE app.a (x bigint);
                SELECT 1 / (SELECT count(*) FROM app.t);
                CREATE TABLE app.b (x bigint);
                """
            let migrator = try Migrator(
                database.connectionString, lines: [line(["CREATE SCHEMA app; CREATE TABLE app.t (x bigint)", text])])
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            guard case .failed("app/0002-do-it.sql", line: 3, _) = error else { Issue.record("\(error)"); return }
            let status = try #require(try await migrator.status().last)
            #expect(status.state == .failedPartial(.expand))
            #expect(status.records.first?.statementsDone == 1)
            #expect(status.records.first?.error.contains("division by zero") == true)
            let session = try await database.session()
            try await session.execute("INSERT INTO app.t VALUES (1)")
            try await migrator.up()
            #expect(try await session.execute("SELECT to_regclass('app.b') IS NOT NULL").bool(0, 0))
        }
    }

    /// The newer text states that both texts have the same effect on a database.
    @Test("M3: an edit that is accepted is no change")
    func aBlessedEditIsNoChange() async throws {
        try await withTestDatabase { database in
            let old = try line(["CREATE SCHEMA app"])
            try await Migrator(database.connectionString, lines: [old]).up()
            let blessed = """
                -- accepts: \(old.files[0].checksum)
                -- phase: expand
                CREATE SCHEMA app;
                -- phase: verify
                SELECT 1;
                """
            let migrator = try Migrator(database.connectionString, lines: [line([blessed, "SELECT 2"])])
            #expect(try await migrator.up().applied == ["app/0002-do-it.sql"])
            guard case .applied = try await states(migrator)[0] else { Issue.record("not applied"); return }
        }
    }

    private static let indices = """
        -- migrate: transaction=none
        CREATE INDEX CONCURRENTLY IF NOT EXISTS by_x ON app.t (x);
        CREATE INDEX CONCURRENTLY IF NOT EXISTS by_y ON app.t ((x + 1));
        """

    private func line(_ scripts: [String], effect: String? = nil) throws -> MigrationLine {
        let head = effect.map { "-- sync: \($0)\n" } ?? ""
        let files = try scripts.enumerated().map { index, sql in
            try MigrationFile(
                line: "app", fileName: "000\(index + 1)-do-it.sql", bytes: Array((head + sql).utf8))
        }
        return try MigrationLine(name: "app", files: files)
    }

    private func states(_ migrator: Migrator) async throws -> [MigrationStatus.State] {
        try await migrator.status().map(\.state)
    }

    private func state(_ migrator: Migrator) async throws -> MigrationStatus.State {
        try #require(try await states(migrator).first)
    }
}
