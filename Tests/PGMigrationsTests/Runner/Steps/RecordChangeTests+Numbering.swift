import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// The numbering of records: by PostgreSQL's counts, and including all changes that a step triggers.
extension RecordChangeTests {
    @Test("M19: a cursor that would be read at COMMIT is closed before")
    func aCursorThatWouldBeReadAtCommitIsClosed() async throws {
        try await withNotes { database, session in
            let before = try await text(session)
            let change = Change(name: "", sql: "DECLARE c CURSOR WITH HOLD FOR SELECT app.shout()")
            #expect(try await Self.up(database, change, nil) == ["app/0002-do-it.sql"])
            #expect(try await text(session) == before)
        }
    }

    /// Objects that keep numbers from being written, or write other numbers.
    private static let hindrances = [
        Change(
            name: "a restrictive policy",
            sql: "CREATE POLICY hidden ON app.note AS RESTRICTIVE USING (n < 100)"),
        Change(
            name: "a trigger that keeps the number",
            sql: """
                CREATE FUNCTION app.keep() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN NEW.seq := OLD.seq; RETURN NEW; END $$;
                CREATE TRIGGER keep BEFORE UPDATE ON app.note FOR EACH ROW EXECUTE FUNCTION app.keep()
                """),
        Change(
            name: "a trigger that leaves some records out",
            sql: """
                CREATE FUNCTION app.keep() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN IF NEW.seq > OLD.seq AND NEW.n % 2 = 0 THEN RETURN NULL; END IF; RETURN NEW; END $$;
                CREATE TRIGGER keep BEFORE UPDATE ON app.note FOR EACH ROW EXECUTE FUNCTION app.keep()
                """),
        Change(
            name: "a trigger that leaves spaces out",
            sql: """
                CREATE FUNCTION app.keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
                CREATE TRIGGER keep BEFORE UPDATE ON sync.space FOR EACH ROW EXECUTE FUNCTION app.keep()
                """),
        Change(
            name: "a trigger that sets heads back",
            sql: """
                CREATE FUNCTION app.keep() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN UPDATE sync.space SET head = 250 WHERE head > 250; RETURN NULL; END $$;
                CREATE TRIGGER keep AFTER UPDATE ON sync.space FOR EACH ROW EXECUTE FUNCTION app.keep()
                """),
    ]

    @Test(
        "M19: numbers that PostgreSQL does not write do not count as written", arguments: hindrances, [false, true])
    func numbersThatAreNotWrittenAreNotTakenForWritten(hindrance: Change, inBatches: Bool) async throws {
        try await withNotes { database, session in
            let before = try await text(session)
            let change =
                inBatches
                ? Self.batches("-- phase: expand\n\(hindrance.sql);\n")
                : Change(name: "", sql: "\(hindrance.sql);\n\(Self.update)")
            let error = try #require(
                await #expect(throws: MigrationError.self) { () async throws in
                    try await Self.up(database, change, inBatches ? nil : "republish(Note)")
                })
            #expect("\(error)".contains("PostgreSQL did not write the numbers"), "\(error)")
            #expect(try await text(session) == before)
        }
    }

    /// Returns a file with a backfill in batches after other steps.
    private static func batches(_ before: String, _ effect: String = "republish(Note)") -> Change {
        Change(
            name: "",
            sql: """
                \(before)-- phase: backfill
                -- migrate: table=app.note batch=100
                -- sync: \(effect)
                UPDATE app.note AS t SET words = words || '!' FROM batch
                WHERE (t.space_id, t.id) = (batch.space_id, batch.id) AND t.n % 3 = 0
                """)
    }

    /// Triggers on notes that change other records whenever a note changes.
    private static let echoes = [
        Change(name: "none", sql: "SELECT 1"),
        Change(
            name: "another table's",
            sql: """
                CREATE FUNCTION app.echo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    UPDATE app.other SET words = words || '?' WHERE (space_id, id) = (NEW.space_id, NEW.id);
                    RETURN NULL; END $$;
                CREATE TRIGGER echo AFTER UPDATE OF words ON app.note FOR EACH ROW EXECUTE FUNCTION app.echo()
                """),
        Change(
            name: "another table's, whenever a number is given",
            sql: """
                CREATE FUNCTION app.echo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    UPDATE app.other SET words = words || '?' WHERE (space_id, id) = (NEW.space_id, NEW.id);
                    RETURN NULL; END $$;
                CREATE TRIGGER echo AFTER UPDATE ON app.note FOR EACH ROW EXECUTE FUNCTION app.echo()
                """),
        Change(
            name: "its own",
            sql: """
                CREATE FUNCTION app.echo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    UPDATE app.note SET words = words || '?' WHERE space_id = NEW.space_id AND n = NEW.n + 1;
                    RETURN NULL; END $$;
                CREATE TRIGGER echo AFTER UPDATE OF words ON app.note
                    FOR EACH ROW WHEN (NEW.n % 3 = 0) EXECUTE FUNCTION app.echo()
                """),
        Change(
            name: "a space's",
            sql: """
                CREATE FUNCTION app.echo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    UPDATE app.other SET words = words || '?' WHERE space_id = NEW.space_id;
                    RETURN NULL; END $$;
                CREATE TRIGGER echo AFTER UPDATE ON sync.space FOR EACH ROW EXECUTE FUNCTION app.echo()
                """),
    ]

    private static let other = """
        CREATE TABLE app.other (LIKE sync.record INCLUDING ALL, words text, n bigint);
        INSERT INTO app.other SELECT * FROM app.note;
        """

    @Test(
        "M19: changes by triggers are sent again with the others, and refused in a republishing batch",
        arguments: echoes,
        [false, true])
    func whatTriggersChangeIsSentAgain(echo: Change, inBatches: Bool) async throws {
        try await withNotes { database, session in
            try await session.runScript(Self.other)
            try await session.runScript(
                "ALTER TABLE app.other OWNER TO \(try await Self.owner(session)); \(echo.sql);")
            let before = try await text(session)
            let change = inBatches ? Self.batches("") : Change(name: "", sql: Self.update)
            if !inBatches, echo.name == "a space's" {
                // Each number that is assigned causes another change.
                let error = try #require(
                    await #expect(throws: MigrationError.self) { () async throws in
                        try await Self.up(database, change, "republish(Note)")
                    })
                #expect("\(error)".contains("again and again"), "\(error)")
                #expect(try await text(session) == before)
                return
            }
            if inBatches, echo.name != "none" {
                let error = try #require(
                    await #expect(throws: MigrationError.self) { () async throws in
                        try await Self.up(database, change, nil)
                    })
                #expect("\(error)".contains("besides those of the batch"), "\(error)")
                #expect(try await text(session) == before)
                #expect(try await Self.up(database, Self.batches("", "silent"), nil) == ["app/0002-do-it.sql"])
                return
            }
            #expect(
                try await Self.up(database, change, inBatches ? nil : "republish(Note)") == ["app/0002-do-it.sql"])
            // Each changed record has a number of its own that no device has seen, not above its space's head.
            let rows = try await session.execute(
                """
                WITH record AS (SELECT * FROM app.note UNION ALL SELECT * FROM app.other)
                SELECT count(*) FILTER (WHERE words <> 'x' AND alive AND record.seq <= 250),
                    count(*) FILTER (WHERE words = 'x' AND record.seq > 250),
                    count(*) FILTER (WHERE record.seq > head),
                    count(*) FILTER (WHERE record.seq > 250)
                        - count(DISTINCT (record.space_id, record.seq)) FILTER (WHERE record.seq > 250)
                FROM record JOIN sync.space AS space ON space.space_id = record.space_id
                """)
            #expect((0..<4).map { rows.int(0, $0) } == [0, 0, 0, 0])
        }
    }

    private static func owner(_ session: Session) async throws -> String {
        try await session.execute("SELECT relowner::regrole::text FROM pg_class WHERE oid = 'app.note'::regclass")
            .string(0, 0)
    }

    @Test func aStepOfAnAppLeavesSpacesAlone() async throws {
        try await withNotes { database, session in
            let change = Change(name: "", sql: "DO $$ BEGIN UPDATE sync.space SET head = 0; END $$")
            for effect in ["silent", "republish(Note)"] {
                let error = try #require(
                    await #expect(throws: MigrationError.self) { () async throws in
                        try await Self.up(database, change, effect)
                    })
                #expect("\(error)".contains("it changed rows of sync.space"), "\(error)")
            }
            #expect(try await session.execute("SELECT min(head) FROM sync.space").int(0, 0) == 250)
        }
    }

    /// Statements that PostgreSQL refuses in a transaction, and others beside them, run if their step says so.
    @Test func whatPostgreSQLRefusesInATransactionIsRunWithoutOne() async throws {
        try await withNotes { (database, _) async throws in
            let change = Change(
                name: "",
                sql: """
                    CREATE INDEX CONCURRENTLY IF NOT EXISTS note_n ON app.note (space_id, n);
                    REINDEX INDEX CONCURRENTLY app.note_n;
                    VACUUM app.note;
                    ANALYZE app.note;
                    CREATE TABLE IF NOT EXISTS app.part (x bigint) PARTITION BY RANGE (x);
                    CREATE TABLE IF NOT EXISTS app.part_one PARTITION OF app.part FOR VALUES FROM (1) TO (2);
                    CREATE INDEX IF NOT EXISTS part_x ON app.part (x);
                    REINDEX TABLE app.part;
                    ALTER TABLE app.part DETACH PARTITION app.part_one CONCURRENTLY;
                    ALTER TABLE app.part_one RENAME COLUMN x TO y;
                    DROP INDEX CONCURRENTLY IF EXISTS app.note_n;
                    DROP TABLE IF EXISTS app.part_one
                    """, isApart: true)
            #expect(try await Self.up(database, change, nil) == ["app/0002-do-it.sql"])
        }
    }
}
