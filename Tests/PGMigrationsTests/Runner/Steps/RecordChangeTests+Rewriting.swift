import PGMigrations
import Postgres
import SyncTestSupport
import Testing

extension RecordChangeTests {
    /// Statements that change every record although no count shows it.
    private static let rewrites = [
        Change(name: "a type", sql: "ALTER TABLE app.note ALTER COLUMN words TYPE text USING words || '!'"),
        Change(
            name: "a type in DO",
            sql: "DO $$ BEGIN ALTER TABLE app.note ALTER COLUMN words TYPE text USING words || '!'; END $$"),
        Change(
            name: "a column anew",
            sql: "ALTER TABLE app.note DROP COLUMN words; ALTER TABLE app.note ADD COLUMN words text DEFAULT '!'"),
        Change(
            name: "a column anew, in one statement",
            sql: "ALTER TABLE app.note DROP COLUMN words, ADD COLUMN words text DEFAULT '!'"),
        Change(
            name: "names that change places",
            sql: """
                ALTER TABLE app.note ADD COLUMN other text DEFAULT '!';
                ALTER TABLE app.note RENAME COLUMN words TO old;
                ALTER TABLE app.note RENAME COLUMN other TO words
                """),
        Change(
            name: "a type", sql: "ALTER TABLE app.note ALTER COLUMN words TYPE text USING words || '!'", isApart: true),
        Change(
            name: "a column anew", sql: "ALTER TABLE app.note DROP COLUMN words, ADD COLUMN words text DEFAULT '!'",
            isApart: true),
    ]

    @Test("M19: a step that rewrites a table of records sends them again or is declared silent", arguments: rewrites)
    func whatRewritesATableOfRecordsIsSentAgainOrSaidToBeSilent(change: Change) async throws {
        try await withNotes { database, session in
            let before = try await text(session)
            let error = try #require(
                await #expect(throws: MigrationError.self) { () async throws in
                    try await Self.up(database, change, nil)
                })
            #expect("\(error)".contains("of app.note, and does not say") || "\(error)".contains("it rewrote app.note"))
            #expect(try await text(session) == before)
            #expect(try await Self.up(database, change, "republish(Note)") == ["app/0002-do-it.sql"])
            let rows = try await session.execute(
                """
                SELECT s.head, count(*), min(n.seq), count(DISTINCT n.seq), count(*) FILTER (WHERE n.words !~ '!')
                FROM sync.space AS s JOIN app.note AS n USING (space_id) WHERE n.alive GROUP BY s.space_id, s.head
                """)
            #expect(rows.count == 3)
            for row in 0..<rows.count {
                let count = rows.int(row, 1)
                #expect(rows.int(row, 0) == 250 + count && rows.int(row, 2) == 251 && rows.int(row, 3) == count)
                #expect(rows.int(row, 4) == 0)
            }
        }
    }

    @Test func aTableThatIsEmptiedAndFilledIsRefused() async throws {
        try await withNotes { database, session in
            let change = Change(
                name: "",
                sql: """
                    CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT * FROM app.note WHERE n > 7;
                    DO $$ BEGIN TRUNCATE app.note; END $$;
                    INSERT INTO app.note SELECT * FROM pg_temp.kept
                    """)
            let before = try await text(session)
            let error = try #require(
                await #expect(throws: MigrationError.self) { () async throws in
                    try await Self.up(database, change, "republish(Note)")
                })
            #expect("\(error)".contains("cannot be told what is missing"), "\(error)")
            #expect(try await text(session) == before)
        }
    }
}
