import Postgres
import SQLText
import SyncTestSupport
import SyncTesting
import Testing

/// The locks predicted from a statement's text, compared with those that a server holds after it ran the statement.
/// Relations that the text does not name are left out, such as the tables of a view.
@Suite struct LockComparisonTests {
    private static let tables = ["a.b", "a.c", "a.v", "a.m", "a.child"]

    private static let setUp = """
        CREATE SCHEMA a;
        CREATE TABLE a.c (x bigint PRIMARY KEY, y text);
        CREATE TABLE a.b (x bigint, y text, z bigint DEFAULT 1);
        CREATE TABLE a.child (LIKE a.b);
        CREATE INDEX i ON a.b (x);
        CREATE UNIQUE INDEX u ON a.b (x, z);
        ALTER TABLE a.b ADD CONSTRAINT k CHECK (x > 0) NOT VALID;
        CREATE POLICY p ON a.b USING (true);
        CREATE VIEW a.v AS SELECT x FROM a.b;
        CREATE MATERIALIZED VIEW a.m AS SELECT x FROM a.b;
        CREATE FUNCTION a.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER t BEFORE INSERT ON a.b FOR EACH ROW EXECUTE FUNCTION a.f();
        """

    private static let statements = [
        "SELECT b.x FROM a.b JOIN a.c USING (x)", "SELECT * FROM a.b FOR UPDATE", "UPDATE a.b SET y = c.y FROM a.c",
        "WITH q AS (SELECT x, y FROM a.c) INSERT INTO a.b SELECT x, y FROM q", "DELETE FROM a.b USING a.c",
        "MERGE INTO a.b USING a.c ON b.x = c.x WHEN MATCHED THEN DELETE", "TRUNCATE a.b, a.c",
        "CREATE INDEX j ON a.b (y)", "DROP POLICY p ON a.b", "DROP TRIGGER t ON a.b", "DROP TABLE a.child",
        "CREATE TABLE a.n (x bigint REFERENCES a.c (x))", "CREATE TABLE a.n (LIKE a.b INCLUDING ALL)",
        "CREATE TABLE a.n (w text) INHERITS (a.b)", "CREATE TABLE a.n AS SELECT * FROM a.b",
        "CREATE VIEW a.w AS SELECT x FROM a.b", "CREATE OR REPLACE VIEW a.v AS SELECT x FROM a.b",
        "CREATE TRIGGER s BEFORE INSERT ON a.b FOR EACH ROW EXECUTE FUNCTION a.f()",
        "CREATE POLICY q ON a.b USING (true)", "ALTER POLICY p ON a.b USING (false)",
        "CREATE RULE r AS ON INSERT TO a.b DO INSTEAD NOTHING", "CREATE STATISTICS a.s ON x, y FROM a.b",
        "ALTER TABLE a.b ADD COLUMN w text", "ALTER TABLE a.b ADD COLUMN w uuid DEFAULT gen_random_uuid()",
        "ALTER TABLE a.b ADD COLUMN w bigint REFERENCES a.c (x)", "ALTER TABLE a.b DROP COLUMN z",
        "ALTER TABLE a.b ALTER z TYPE numeric", "ALTER TABLE a.b ALTER x SET NOT NULL",
        "ALTER TABLE a.b ALTER y SET DEFAULT ''", "ALTER TABLE a.b VALIDATE CONSTRAINT k",
        "ALTER TABLE a.b ADD CONSTRAINT c CHECK (x > 0) NOT VALID", "ALTER TABLE a.b DROP CONSTRAINT k",
        "ALTER TABLE a.b ADD FOREIGN KEY (x) REFERENCES a.c (x) NOT VALID",
        "ALTER TABLE a.b ADD CONSTRAINT w UNIQUE USING INDEX u", "ALTER TABLE a.b ADD UNIQUE (x)",
        "ALTER TABLE a.b SET (fillfactor = 90)", "ALTER TABLE a.b RESET (fillfactor)",
        "ALTER TABLE a.b ALTER x SET STATISTICS 100", "ALTER TABLE a.b ALTER x SET (n_distinct = 5)",
        "ALTER TABLE a.b ALTER y SET STORAGE EXTERNAL", "ALTER TABLE a.b CLUSTER ON i",
        "ALTER TABLE a.b DISABLE TRIGGER t", "ALTER TABLE a.b ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE a.b NO FORCE ROW LEVEL SECURITY", "ALTER TABLE a.b SET UNLOGGED",
        "ALTER TABLE a.b ADD COLUMN w text, ALTER x SET STATISTICS 5",
        "ALTER TABLE a.b RENAME z TO w", "ALTER TABLE a.b RENAME TO d", "ALTER TABLE a.b RENAME CONSTRAINT k TO l",
        "ALTER VIEW a.v SET (security_invoker = true)", "COMMENT ON TABLE a.b IS 'x'", "COMMENT ON COLUMN a.b.x IS 'x'",
        "ANALYZE a.b", "CLUSTER a.b USING i", "REINDEX TABLE a.b",
        "LOCK a.b IN SHARE MODE", "LOCK a.b",
    ]

    @Test func aServerLocksWhatIsSaid() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let setUp = try SQLScript(parsing: Self.setUp).statements.map { Command(Statement(unchecked: $0.text)) }
            try await session.transaction { session in
                for command in setUp { try session.execute(command) }
            }
            for sql in Self.statements {
                let statement = try #require(try SQLScript(parsing: sql).statements.first)
                let said = statement.locks.map { "\($0.table) \($0.mode)" }
                    .filter { lock in Self.tables.contains { lock.hasPrefix("\($0) ") } }
                do {
                    let seen = try await Self.locks(of: sql, session)
                    #expect(Set(said) == Set(seen), "\(sql)")
                } catch let error as PGError {
                    Issue.record("\(sql): \(error.debugDescription)")
                }
            }
        }
    }

    private struct Undone: Error {
        let locks: [String]
    }

    /// Returns the strongest lock on each table that a transaction with only this statement holds, and rolls it back.
    private static func locks(of sql: String, _ session: Session) async throws -> [String] {
        var seen: [String] = []
        do {
            try await session.transaction { session in
                let names = try session.execute(
                    Command(
                        "SELECT oid::text, oid::regclass::text FROM pg_class WHERE relnamespace = 'a'::regnamespace"))
                let relations = Dictionary(
                    uniqueKeysWithValues: (0..<names.count).map { (names.string($0, 0), names.string($0, 1)) })
                try session.execute(Command(Statement(unchecked: sql)))
                let rows = try session.execute(
                    Command(
                        """
                        SELECT relation::text, mode FROM pg_locks
                        WHERE pid = pg_backend_pid() AND locktype = 'relation' AND granted
                        """))
                var strongest: [String: LockMode] = [:]
                for row in 0..<rows.count {
                    guard let name = relations[rows.string(row, 0)], tables.contains(name),
                        let mode = LockMode.allCases.first(where: {
                            rows.string(row, 1).lowercased() == "\($0)lock".lowercased()
                        })
                    else { continue }
                    strongest[name] = max(strongest[name] ?? mode, mode)
                }
                throw Undone(locks: strongest.map { "\($0) \($1)" })
            }
        } catch let undone as Undone {
            seen = undone.locks
        }
        return seen
    }
}
