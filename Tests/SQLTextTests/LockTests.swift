import SQLText
import Testing

/// The locks of each statement, according to PostgreSQL 15's manual.
@Suite struct LockTests {
    @Test(arguments: [
        ("SELECT * FROM a.b JOIN a.c USING (x)", "a.b ACCESS SHARE none, a.c ACCESS SHARE none"),
        ("SELECT * FROM a.b FOR UPDATE", "a.b ROW SHARE none"),
        ("UPDATE a.b SET x = c.x FROM a.c", "a.b ROW EXCLUSIVE none, a.c ACCESS SHARE none"),
        (
            "WITH q AS (SELECT * FROM a.c) INSERT INTO a.b SELECT * FROM q",
            "a.b ROW EXCLUSIVE none, a.c ACCESS SHARE none"
        ),
        ("DELETE FROM a.b", "a.b ROW EXCLUSIVE none"),
        ("TRUNCATE a.b, a.c", "a.b ACCESS EXCLUSIVE none, a.c ACCESS EXCLUSIVE none"),
        ("CREATE INDEX i ON a.b (x)", "a.b SHARE scan"),
        ("CREATE INDEX CONCURRENTLY i ON a.b (x)", "a.b SHARE UPDATE EXCLUSIVE scan"),
        ("DROP INDEX a.i", "a.i ACCESS EXCLUSIVE none"),
        ("DROP INDEX CONCURRENTLY a.i", "a.i SHARE UPDATE EXCLUSIVE none"),
        ("DROP POLICY p ON a.b", "a.b ACCESS EXCLUSIVE none"),
        ("DROP FUNCTION a.f(int)", ""),
        (
            "CREATE TABLE a.n (x int REFERENCES a.b (x), LIKE a.c)",
            "a.b SHARE ROW EXCLUSIVE none, a.c ACCESS SHARE none"
        ),
        ("CREATE TABLE a.n AS SELECT * FROM a.b", "a.b ACCESS SHARE none"),
        ("CREATE VIEW a.v AS SELECT * FROM a.b", "a.b ACCESS SHARE none"),
        ("CREATE OR REPLACE VIEW a.v AS SELECT * FROM a.b", "a.v ACCESS EXCLUSIVE none, a.b ACCESS SHARE none"),
        ("CREATE TRIGGER t BEFORE INSERT ON a.b FOR EACH ROW EXECUTE FUNCTION a.f()", "a.b SHARE ROW EXCLUSIVE none"),
        ("CREATE POLICY p ON a.b USING (true)", "a.b ACCESS EXCLUSIVE none"),
        ("ALTER TABLE a.b ADD COLUMN x text", "a.b ACCESS EXCLUSIVE none"),
        ("ALTER TABLE a.b ADD COLUMN x text DEFAULT now()::text", "a.b ACCESS EXCLUSIVE none"),
        ("ALTER TABLE a.b ADD COLUMN x uuid DEFAULT gen_random_uuid()", "a.b ACCESS EXCLUSIVE rewrite"),
        ("ALTER TABLE a.b ADD COLUMN x bigserial", "a.b ACCESS EXCLUSIVE rewrite"),
        ("ALTER TABLE a.b ADD COLUMN x int GENERATED ALWAYS AS (1) STORED", "a.b ACCESS EXCLUSIVE rewrite"),
        ("ALTER TABLE a.b ADD COLUMN x int CHECK (x > 0)", "a.b ACCESS EXCLUSIVE scan"),
        ("ALTER TABLE a.b ALTER x TYPE numeric", "a.b ACCESS EXCLUSIVE rewrite"),
        ("ALTER TABLE a.b ALTER x SET NOT NULL, VALIDATE CONSTRAINT c", "a.b ACCESS EXCLUSIVE scan"),
        ("ALTER TABLE a.b VALIDATE CONSTRAINT c", "a.b SHARE UPDATE EXCLUSIVE scan"),
        ("ALTER TABLE a.b ADD CONSTRAINT c CHECK (x > 0) NOT VALID", "a.b ACCESS EXCLUSIVE none"),
        ("ALTER TABLE a.b ADD CONSTRAINT c CHECK (x > 0)", "a.b ACCESS EXCLUSIVE scan"),
        (
            "ALTER TABLE a.b ADD FOREIGN KEY (x) REFERENCES a.c (x) NOT VALID",
            "a.b SHARE ROW EXCLUSIVE none, a.c SHARE ROW EXCLUSIVE none"
        ),
        ("ALTER TABLE a.b ADD UNIQUE USING INDEX i", "a.b ACCESS EXCLUSIVE none"),
        ("ALTER TABLE a.b ADD UNIQUE (x)", "a.b ACCESS EXCLUSIVE scan"),
        ("ALTER TABLE a.b SET (fillfactor = 90)", "a.b SHARE UPDATE EXCLUSIVE none"),
        ("ALTER TABLE a.b ALTER x SET STATISTICS 100", "a.b SHARE UPDATE EXCLUSIVE none"),
        ("ALTER TABLE a.b DISABLE TRIGGER t", "a.b SHARE ROW EXCLUSIVE none"),
        ("ALTER TABLE a.b FORCE ROW LEVEL SECURITY", "a.b ACCESS EXCLUSIVE none"),
        ("ALTER TABLE a.b RENAME x TO y", "a.b ACCESS EXCLUSIVE none"),
        ("ALTER INDEX a.i RENAME TO j", "a.i SHARE UPDATE EXCLUSIVE none"),
        ("ALTER TABLE a.b SET SCHEMA c", "a.b ACCESS EXCLUSIVE none"),
        ("COMMENT ON COLUMN a.b.x IS 'x'", "a.b SHARE UPDATE EXCLUSIVE none"),
        ("VACUUM a.b", "a.b SHARE UPDATE EXCLUSIVE scan"), ("VACUUM (FULL) a.b", "a.b ACCESS EXCLUSIVE rewrite"),
        ("ANALYZE a.b", "a.b SHARE UPDATE EXCLUSIVE scan"), ("CLUSTER a.b USING i", "a.b ACCESS EXCLUSIVE rewrite"),
        ("REINDEX TABLE a.b", "a.b SHARE scan"), ("REINDEX TABLE CONCURRENTLY a.b", "a.b SHARE UPDATE EXCLUSIVE scan"),
        ("REFRESH MATERIALIZED VIEW CONCURRENTLY a.m", "a.m EXCLUSIVE rewrite"),
        ("LOCK a.b IN SHARE MODE", "a.b SHARE none"), ("LOCK a.b", "a.b ACCESS EXCLUSIVE none"),
        ("DO $$ BEGIN DROP TABLE a.b; END $$", ""), ("SET LOCAL lock_timeout = '1s'", ""),
    ])
    func aStatementTakes(_ sql: String, _ locks: String) throws {
        let statement = try #require(try SQLScript(parsing: sql).statements.first)
        let described = statement.locks.map { "\($0.table) \($0.mode.name) \($0.work)" }
        #expect(described.joined(separator: ", ") == locks)
    }
}
