import DemoApps
import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Steps that change records: they must declare it, in every mode, and PostgreSQL's own counts are compared with the
/// declaration.
@Suite struct RecordChangeTests {
    /// A change of `app.note`: of rows whose `n % 3` is 0, all of which are alive unless `n % 11` is 0.
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let sql: String
        /// True if the step says `transaction=none`.
        var isApart = false

        var testDescription: String { isApart ? "\(name), outside a transaction" : name }
    }

    static let update = "UPDATE app.note SET words = words || '!' WHERE n % 3 = 0"
    private static let changes = [
        Change(name: "UPDATE", sql: update),
        Change(name: "UPDATE twice", sql: "\(update); \(update)"),
        Change(name: "WITH", sql: "WITH done AS (\(update) RETURNING id) SELECT count(*) FROM done"),
        Change(name: "a function", sql: "SELECT app.shout()"),
        Change(name: "DO", sql: "DO $$ BEGIN \(update); END $$"),
        Change(
            name: "a block with EXCEPTION",
            sql: "DO $$ BEGIN BEGIN \(update); EXCEPTION WHEN division_by_zero THEN NULL; END; END $$"),
        Change(
            name: "MERGE",
            sql: """
                MERGE INTO app.note AS t USING (SELECT * FROM app.note WHERE n % 3 = 0) AS s
                ON (t.space_id, t.id) = (s.space_id, s.id) WHEN MATCHED THEN UPDATE SET words = t.words || '!'
                """),
        Change(
            name: "ON CONFLICT",
            sql: """
                INSERT INTO app.note SELECT * FROM app.note WHERE n % 3 = 0
                ON CONFLICT (space_id, id) DO UPDATE SET words = app.note.words || '!'
                """),
        Change(name: "a trigger", sql: "INSERT INTO app.wish VALUES (1)"),
        Change(name: "EXPLAIN", sql: "EXPLAIN ANALYZE \(update)"),
        Change(
            name: "a trigger at COMMIT",
            sql: """
                CREATE TABLE app.hope (x bigint);
                CREATE CONSTRAINT TRIGGER fulfil AFTER INSERT ON app.hope DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION app.fulfil();
                INSERT INTO app.hope VALUES (1)
                """),
        Change(
            name: "a trigger on the ledger",
            sql: """
                CREATE TRIGGER fulfil AFTER UPDATE ON sync.migration_step
                    FOR EACH ROW WHEN (NEW.state = 'done')
                    EXECUTE FUNCTION app.fulfil()
                """),
        Change(name: "UPDATE", sql: update, isApart: true),
        Change(name: "a function", sql: "SELECT app.shout()", isApart: true),
        Change(name: "EXPLAIN", sql: "EXPLAIN ANALYZE \(update)", isApart: true),
    ]

    @Test("M19: records to be sent again get the next number, whatever changes them", arguments: changes)
    func whateverChangesRecordsThatAreToBeSentAgainEachGetsTheNextNumber(change: Change) async throws {
        try await withNotes { database, session in
            let others = try await text(session, where: "NOT (alive AND n % 3 = 0)", without: "words")
            #expect(try await Self.up(database, change, "republish(Note)").isEmpty == false)
            let rows = try await session.execute(
                """
                SELECT s.head, count(*), min(n.seq), max(n.seq), count(DISTINCT n.seq), count(n.device),
                    count(*) FILTER (WHERE n.words !~ '!'),
                    bool_and(n.seq = 250 + (
                        SELECT count(*) FROM app.note AS o
                        WHERE o.space_id = n.space_id AND o.alive AND o.n % 3 = 0 AND o.id <= n.id))
                FROM sync.space AS s JOIN app.note AS n USING (space_id) WHERE n.alive AND n.n % 3 = 0
                GROUP BY s.space_id, s.head
                """)
            #expect(rows.count == 3)
            for row in 0..<rows.count {
                let (head, count) = (rows.int(row, 0), rows.int(row, 1))
                #expect(head == 250 + count && rows.int(row, 2) == 251 && rows.int(row, 3) == head)
                #expect(rows.int(row, 4) == count && rows.int(row, 5) == 0 && rows.int(row, 6) == 0)
                #expect(rows.bool(row, 7), "not in the order of keys")
            }
            #expect(try await text(session, where: "NOT (alive AND n % 3 = 0)", without: "words") == others)
        }
    }

    @Test("M19: an undeclared change of records is rolled back", arguments: changes)
    func whateverChangesRecordsWithoutAWordIsUndone(change: Change) async throws {
        try await withNotes { database, session in
            let before = try await text(session)
            let numbers = try await text(session, without: "words")
            let error = try #require(
                await #expect(throws: MigrationError.self) { () async throws in
                    try await Self.up(database, change, nil)
                })
            // A change that is visible in the text is refused before it runs.
            switch error {
            case .undeclared: break
            default: #expect("\(error)".contains("of app.note, and does not say what devices learn"), "\(error)")
            }
            #expect(try await text(session) == before)
            #expect(try await Self.up(database, change, "silent") == ["app/0002-do-it.sql"])
            #expect(try await text(session) != before)
            #expect(try await text(session, without: "words") == numbers)
        }
    }

    private static let ends = [
        Change(name: "DELETE", sql: "DELETE FROM app.note WHERE n = 7"),
        Change(name: "DELETE of the dead", sql: "DELETE FROM app.note WHERE NOT alive"),
        Change(
            name: "WITH", sql: "WITH gone AS (DELETE FROM app.note RETURNING 1) SELECT count(*) FROM gone"),
        Change(name: "a function", sql: "SELECT app.wipe()"),
        Change(name: "DO", sql: "DO $$ BEGIN DELETE FROM app.note WHERE n = 7; END $$"),
        Change(name: "TRUNCATE", sql: "TRUNCATE app.note"),
        Change(name: "TRUNCATE in DO", sql: "DO $$ BEGIN TRUNCATE app.note; END $$"),
        Change(
            name: "another table",
            sql: "DROP TABLE app.note; CREATE TABLE app.note (LIKE sync.record INCLUDING ALL, words text, n bigint)"),
        Change(
            name: "another table under its name",
            sql: """
                CREATE TABLE app.new (LIKE app.note INCLUDING ALL);
                INSERT INTO app.new SELECT * FROM app.note WHERE n > 7;
                ALTER TABLE app.note RENAME TO old;
                ALTER TABLE app.new RENAME TO note
                """),
        Change(name: "DELETE", sql: "DELETE FROM app.note WHERE n = 7", isApart: true),
        Change(name: "a function", sql: "SELECT app.wipe()", isApart: true),
    ]

    @Test("M19: records do not end without tombstones", arguments: ends, ["silent", "republish(Note)"])
    func recordsDoNotEndWithoutTombstones(change: Change, effect: String) async throws {
        try await withNotes { database, session in
            let before = try await text(session)
            let error = try #require(
                await #expect(throws: MigrationError.self) { () async throws in
                    try await Self.up(database, change, effect)
                })
            guard case .misdeclared = error else { Issue.record("\(error)"); return }
            #expect("\(error)".contains("of app.note. Devices would keep them"), "\(error)")
            #expect(try await text(session) == before)
        }
    }

    /// A step that contradicts the plans is refused by `plan` and `up` alike, before anything runs.
    @Test(arguments: [
        ("republish(SDFood)", "UPDATE fitiq.sd_meal SET notes = 'x'", "‘republish(SDFood)’ names no entity of fitiq"),
        ("republish(SDMeal)", "DELETE FROM fitiq.sd_meal", "it deletes records of fitiq.sd_meal. Devices would keep"),
        ("silent", "TRUNCATE fitiq.sd_meal", "it takes every record of fitiq.sd_meal"),
        ("republish(SDMeal)", "UPDATE fitiq.sd_meal SET alive = false", "it sets ‘alive’ of fitiq.sd_meal"),
        ("silent", "UPDATE fitiq.sd_meal SET id = gen_random_uuid()", "it sets ‘id’ of fitiq.sd_meal"),
        (
            "silent",
            "INSERT INTO fitiq.sd_meal (id) VALUES (NULL) ON CONFLICT (space_id, id) DO UPDATE SET died = 1",
            "it sets ‘died’ of fitiq.sd_meal"
        ),
        (
            "silent",
            "MERGE INTO fitiq.sd_meal AS t USING fitiq.sd_mood_entry AS s ON s.id = t.id WHEN MATCHED THEN DELETE",
            "it deletes records of fitiq.sd_meal"
        ),
        (
            "silent",
            "MERGE INTO fitiq.sd_meal AS t USING fitiq.sd_mood_entry AS s ON s.id = t.id "
                + "WHEN MATCHED THEN UPDATE SET notes = '', alive = false",
            "it sets ‘alive’ of fitiq.sd_meal"
        ),
        (
            "silent", "DO $$ BEGIN UPDATE fitiq.sd_meal SET (notes, alive) = ('', false); END $$",
            "it sets ‘alive’ of fitiq.sd_meal"
        ),
        (
            "silent",
            "CREATE VIEW fitiq.v AS SELECT space_id, id, alive AS there FROM fitiq.sd_meal; "
                + "UPDATE fitiq.v SET there = false",
            "it sets ‘alive’ of fitiq.sd_meal"
        ),
    ])
    func whatPlansSayIsKnownBeforeAnythingIsRun(effect: String, sql: String, words: String) async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try folder.write("-- sync: \(effect)\n\(sql);", to: "fitiq/0013-do-it.sql")
                for command in ["plan", "up"] {
                    let run = try await folder.migrate(command, database: database.connectionString)
                    let text = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    #expect(run.status == 1 && text.contains("fitiq/0013-do-it.sql:2: \(words)"), "\(run.errors)")
                }
            }
        }
    }

    @Test func recordsOfAnEntityThatIsNotNamedAreNotChanged() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                let session = try await Session.open(database.superuserConnectionString)
                try await session.execute(
                    """
                    INSERT INTO fitiq.sd_meal (space_id, id, seq, alive, stamp, born, died, raw_input, meal_type,
                        status, logged_at, created_at, sync_status)
                    VALUES (gen_random_uuid(), gen_random_uuid(), 1, true, 1, 1, 0, '', '', '', now(), now(), '')
                    """)
                try folder.write(
                    "-- sync: republish(SDProgressEntry)\nDO $$ BEGIN UPDATE fitiq.sd_meal SET notes = 'x'; END $$;",
                    to: "fitiq/0013-do-it.sql")
                let run = try await folder.migrate("up", database: database.connectionString)
                #expect(
                    run.status == 1 && run.errors.contains("‘republish(SDProgressEntry)’ does not name"),
                    "\(run.errors)")
                #expect(try await session.execute("SELECT count(notes) FROM fitiq.sd_meal").int(0, 0) == 0)
                await session.close()
            }
        }
    }

    @Test func withoutCountsNothingThatMayChangeRecordsIsRun() async throws {
        try await withNotes { database, session in
            try await session.execute(
                Command(Statement(unchecked: "ALTER DATABASE \(database.name) SET track_counts = off")))
            let change = Change(name: "", sql: "SELECT app.shout()")
            let error = try #require(
                await #expect(throws: MigrationError.self) { () async throws in
                    try await Self.up(database, change, nil)
                })
            #expect("\(error)".contains("‘track_counts’ is off"), "\(error)")
        }
    }

    /// A statement with transactions of its own can neither be numbered nor rolled back.
    @Test func whatCannotBeNumberedIsRefusedAndWhatCannotBeSeenIsSaid() async throws {
        let change = Change(name: "DO", sql: "DO $$ BEGIN \(Self.update); END $$", isApart: true)
        try await withNotes { database, session in
            let before = try await text(session)
            let error = try #require(
                await #expect(throws: MigrationError.self) { () async throws in
                    try await Self.up(database, change, "republish(Note)")
                })
            #expect("\(error)".contains("outside a transaction gets no numbers"), "\(error)")
            #expect(try await text(session) == before)
            #expect(try await Self.up(database, change, "silent") == ["app/0002-do-it.sql"])
        }
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                let name = "fitiq/0013-do-it.sql"
                try folder.write("-- migrate: transaction=none\n-- sync: silent\nDO $$ BEGIN END $$;", to: name)
                let apart = try await folder.migrate("plan", database: database.connectionString)
                #expect(apart.output.contains("What DO and CALL change outside"), "\(apart)")
                try folder.write("-- sync: republish(SDMeal)\nDO $$ BEGIN END $$;", to: name)
                let within = try await folder.migrate("plan", database: database.connectionString)
                #expect(within.output.contains("a number of records that is not known"), "\(within)")
            }
        }
    }

    /// As a push does: first the space, then its records. In another order both would deadlock.
    @Test func aPushIsWaitedForBeforeARecordIsChanged() async throws {
        try await withNotes { database, session in
            let watcher = try await Session.open(database.superuserConnectionString)
            try await session.execute("BEGIN")
            try await session.execute("SELECT FROM sync.space ORDER BY space_id FOR UPDATE")
            try await session.execute("SET LOCAL lock_timeout = '100ms'")
            async let files = Self.up(database, Change(name: "", sql: Self.update), "republish(Note)")
            try await eventually("the step waits") {
                let waiting = try await watcher.execute(
                    """
                    SELECT EXISTS (
                        SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active')
                    """)
                return waiting.bool(0, 0)
            }
            try await session.execute("UPDATE app.note SET words = 'y' WHERE n = 3")
            try await session.execute("COMMIT")
            #expect(try await files == ["app/0002-do-it.sql"])
            await watcher.close()
        }
    }

    // MARK: Support

    static let table = """
        CREATE SCHEMA app;
        GRANT USAGE ON SCHEMA app TO syncserver_serving;
        CREATE TABLE app.note (LIKE sync.record INCLUDING ALL, words text, n bigint);
        SELECT sync.enroll('app.note');
        CREATE TABLE app.wish (x bigint);
        CREATE FUNCTION app.shout() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
            WITH done AS (UPDATE app.note SET words = words || '!' WHERE n % 3 = 0 RETURNING 1)
            SELECT count(*) FROM done
        $$;
        CREATE FUNCTION app.wipe() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
            WITH done AS (DELETE FROM app.note WHERE n = 7 RETURNING 1) SELECT count(*) FROM done
        $$;
        CREATE FUNCTION app.fulfil() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            PERFORM app.shout();
            RETURN NEW;
        END
        $$;
        CREATE TRIGGER fulfil AFTER INSERT ON app.wish FOR EACH ROW EXECUTE FUNCTION app.fulfil();
        """

    func withNotes(_ body: (TestDatabase, Session) async throws -> Void) async throws {
        let lines = try Repository.migrations().filter { $0.name == MigrationLine.serverLineName }
        try await withTestDatabase(migrated: lines + [Self.line([Self.table])]) { database in
            let session = try await Session.open(database.superuserConnectionString)
            // Three spaces of 250 rows each, some of them dead.
            try await session.execute(
                """
                INSERT INTO sync.space (app, space_id, head)
                SELECT 'app', ('00000000-0000-4000-8000-00000000000' || s)::uuid, 250 FROM generate_series(1, 3) AS s
                """)
            try await session.execute(
                """
                INSERT INTO app.note (space_id, id, seq, alive, stamp, born, died, device, seen, since, words, n)
                SELECT ('00000000-0000-4000-8000-00000000000' || s)::uuid, md5(s || ' ' || n)::uuid, n, n % 11 <> 0,
                    n, n, 0, gen_random_uuid(), 0, n, 'x', n
                FROM generate_series(1, 3) AS s, generate_series(1, 250) AS n
                """)
            try await body(database, session)
            await session.close()
        }
    }

    /// - Returns: the files that were applied.
    static func up(_ database: TestDatabase, _ change: Change, _ effect: String?) async throws -> [String] {
        var text = change.isApart ? "-- migrate: transaction=none\n" : ""
        if let effect { text += "-- sync: \(effect)\n" }
        let lines = try Repository.migrations().filter { $0.name == MigrationLine.serverLineName }
        let migrator = Migrator(
            database.connectionString, lines: lines + [try line([table, text + change.sql])],
            limits: MigratorLimits(backfillShare: 1))
        return try await migrator.up().applied
    }

    static func line(_ scripts: [String]) throws -> MigrationLine {
        let files = try scripts.enumerated().map { index, sql in
            try MigrationFile(line: "app", fileName: "000\(index + 1)-do-it.sql", bytes: Array(sql.utf8))
        }
        return try MigrationLine(name: "app", files: files)
    }

    /// Returns the content of the rows, with numbers and heads.
    func text(
        _ session: Session, where condition: String = "true", without column: String = "nothing"
    ) async throws -> String {
        let rows = try await session.execute(
            Command(
                Statement(
                    unchecked: """
                        SELECT coalesce(string_agg((to_jsonb(r) - '\(column)')::text, ',' ORDER BY space_id, id), '')
                        FROM app.note AS r WHERE \(condition)
                        """)))
        return rows.string(0, 0)
    }
}
