import SQLText
import Testing

/// The changes that a statement makes, at any depth of the statement.
@Suite struct ChangeTests {
    @Test(arguments: [
        ("UPDATE a.b SET x = 1", ["UPDATE a.b"]), ("SELECT 1 FROM a.b FOR UPDATE", []),
        ("WITH m AS (DELETE FROM a.b RETURNING *) INSERT INTO a.c SELECT * FROM m", ["DELETE a.b", "INSERT a.c"]),
        ("WITH x AS (WITH y AS (UPDATE a.b SET x = 1 RETURNING 1) SELECT 1) SELECT 1", ["UPDATE a.b"]),
        ("MERGE INTO a.b USING a.c ON true WHEN MATCHED THEN DELETE", ["MERGE a.b"]),
        ("EXPLAIN ANALYZE UPDATE a.b SET x = 1", ["UPDATE a.b"]),
        ("EXPLAIN (ANALYZE off) UPDATE a.b SET x = 1", []), ("EXPLAIN (VERBOSE) DELETE FROM a.b", []),
        ("PREPARE p AS DELETE FROM a.b", ["DELETE a.b"]), ("COPY a.b FROM STDIN", ["COPY a.b"]),
        ("COPY a.b TO STDOUT", []),
        ("COPY (WITH q AS (INSERT INTO a.b DEFAULT VALUES RETURNING 1) SELECT 1) TO STDOUT", ["INSERT a.b"]),
        ("CREATE TEMP TABLE t AS WITH q AS (DELETE FROM a.b RETURNING 1) SELECT * FROM q", ["DELETE a.b"]),
        ("CREATE RULE r AS ON INSERT TO a.b DO DELETE FROM a.c", []), ("TRUNCATE a.b", []),
        ("CREATE FUNCTION a.f() RETURNS void LANGUAGE sql AS 'DELETE FROM a.b'", []),
        (
            "DO $$ BEGIN UPDATE a.b SET x = 1; DELETE FROM ONLY a.c; TRUNCATE TABLE a.d; END $$",
            ["UPDATE a.b", "DELETE a.c", "TRUNCATE a.d"]
        ),
        (
            "DO $$ BEGIN PERFORM 1 FROM a.b FOR NO KEY UPDATE;\n"
                + "INSERT INTO \"A\".b VALUES (1) ON CONFLICT DO UPDATE SET x = 1; END $$",
            ["INSERT A.b"]
        ),
        ("DO $$ BEGIN -- DELETE FROM a.b\n RAISE NOTICE 'DELETE FROM a.b'; END $$", []),
        ("DO 'BEGIN DELETE FROM a.b; END' LANGUAGE plpgsql", ["DELETE a.b"]),
        ("DO LANGUAGE plpython3u 'DELETE FROM a.b'", []),
        ("DO $$ update set = 1; insert into; delete from; merge; copy; truncate table; execute $$", []),
        ("DO $$ 'open $$", []),
    ])
    func eachChangeIsFoundWithItsTable(_ sql: String, _ changes: [String]) throws {
        let statement = try #require(try SQLScript(parsing: sql).statements.first)
        #expect(statement.changes.map { "\($0.verb.rawValue) \($0.table)" }.sorted() == changes.sorted())
    }

    @Test(arguments: [
        ("UPDATE a.b SET x = 1, (y, z) = (1, 2)", ["x", "y", "z"], false),
        ("INSERT INTO a.b (x) VALUES (1) ON CONFLICT (x) DO UPDATE SET y = 1", ["y"], false),
        (
            "MERGE INTO a.b USING a.c ON true WHEN MATCHED THEN UPDATE SET x = 1 "
                + "WHEN NOT MATCHED THEN INSERT (y) VALUES (1)",
            ["x"], false
        ),
        ("MERGE INTO a.b USING a.c ON true WHEN MATCHED THEN DELETE", [], true), ("DELETE FROM a.b", [], true),
        ("DO $$ BEGIN UPDATE a.b SET x = 1, y = 2 WHERE z = 3; END $$", ["x", "y"], false),
    ])
    func columnsOfRowsThatAreThere(_ sql: String, _ columns: [String], _ deletes: Bool) throws {
        let change = try #require(try SQLScript(parsing: sql).statements.first?.changes.first)
        #expect(change.updatedColumns == columns && change.deletesRows == deletes)
    }

    @Test(arguments: [
        ("EXECUTE 'ALTER TABLE a.b ADD x text'", false), ("EXECUTE format('GRANT SELECT ON %s TO x', y)", false),
        ("EXECUTE format('DELETE FROM %I', y)", true), ("EXECUTE y", true), ("EXECUTE 'TRUNCATE a.b'", true),
        ("EXECUTE concat('ALTER ', y)", true), ("EXECUTE 'SELECT ' || 'delete'", true),
        ("GRANT EXECUTE ON FUNCTION f TO x", false),
    ])
    func textsThatAreRunAreToldApart(_ line: String, _ isUnseen: Bool) throws {
        let sql = "CREATE FUNCTION a.f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN \(line); END $$"
        #expect(try SQLScript(parsing: sql).statements.first?.body?.runsText == isUnseen)
    }
}
