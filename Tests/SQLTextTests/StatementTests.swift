import SQLText
import Testing

/// Facts about a statement that follow from its text.
@Suite struct StatementTests {
    private func action(_ sql: String) throws -> SQLAction {
        try #require(try SQLScript(parsing: sql).statements.first).action
    }

    @Test(arguments: [
        ("CREATE INDEX CONCURRENTLY i ON a.b (x)", false), ("CREATE INDEX i ON a.b (x)", true),
        ("DROP INDEX CONCURRENTLY a.i", false), ("REINDEX INDEX CONCURRENTLY a.i", false), ("REINDEX INDEX a.i", true),
        ("REINDEX DATABASE d", false), ("VACUUM", false), ("VACUUM (ANALYZE) a.b", false), ("ANALYZE a.b", true),
        ("CLUSTER", false), ("CREATE DATABASE d", false), ("ALTER SYSTEM SET work_mem = '1MB'", false),
        ("ALTER TYPE a.e ADD VALUE 'x'", true), ("ALTER TABLE a.b DETACH PARTITION a.c CONCURRENTLY", false),
        ("REFRESH MATERIALIZED VIEW CONCURRENTLY a.m", true),
    ])
    func someRunOnlyAlone(_ sql: String, _ mayRunInTransaction: Bool) throws {
        #expect(try SQLScript(parsing: sql).statements.map(\.mayRunInTransaction) == [mayRunInTransaction])
    }

    @Test(arguments: [
        ("CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON a.b (x)", true), ("CREATE INDEX i ON a.b (x)", false),
        ("DROP INDEX CONCURRENTLY IF EXISTS a.i", true), ("DROP INDEX a.i", false),
        ("ALTER TABLE a.b VALIDATE CONSTRAINT c", true), ("ALTER TABLE a.b ADD COLUMN IF NOT EXISTS x text", true),
        ("ALTER TABLE a.b ADD COLUMN IF NOT EXISTS x text, ADD COLUMN y text", false),
        ("ALTER TABLE a.b ADD CHECK (x > 0)", false), ("ALTER TABLE a.b ALTER x SET NOT NULL", true),
        ("ALTER TABLE a.b RENAME x TO y", false), ("UPDATE a.b SET x = x + 1", false), ("DELETE FROM a.b", true),
        ("INSERT INTO a.b VALUES (1)", false), ("INSERT INTO a.b VALUES (1) ON CONFLICT DO NOTHING", true),
        ("SELECT count(*) FROM a.b", true), ("SELECT sync.enroll('a.b')", false), ("SELECT setval('a.s', 1)", false),
        ("CREATE OR REPLACE FUNCTION a.f() RETURNS int LANGUAGE sql AS 'SELECT 1'", true),
        ("CREATE FUNCTION a.f() RETURNS int LANGUAGE sql AS 'SELECT 1'", false),
        ("DO $$ BEGIN END $$", false), ("CREATE POLICY p ON a.b USING (true)", false), ("VACUUM a.b", true),
        ("CREATE SCHEMA IF NOT EXISTS a", true), ("CREATE ROLE r", false),
    ])
    func someMayRunTwice(_ sql: String, _ isIdempotent: Bool) throws {
        #expect(try SQLScript(parsing: sql).statements.map(\.isIdempotent) == [isIdempotent])
    }

    @Test func anUpdateOfABatchIsRead() throws {
        let change = try action(
            """
            UPDATE fitiq.sd_meal AS item SET name = lower(item.name), notes = '' FROM batch, fitiq.sd_item
            WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.name IS NULL
            """)
        guard case .changeRows(let update) = change else {
            Issue.record("\(change)")
            return
        }
        #expect(update.verb == .update)
        #expect(update.table == SQLName(schema: "fitiq", name: "sd_meal"))
        #expect(update.alias == "item")
        #expect(update.columns == ["name", "notes"])
        #expect(update.sources.map(\.description) == ["batch", "fitiq.sd_item"])
        #expect(update.joinsBatch && update.hasWhere && !update.hasWith && !update.hasReturning)
    }

    @Test(arguments: [
        ("UPDATE a.b SET x = 1", false, false, false),
        (
            "WITH q AS (SELECT 1) UPDATE a.b SET x = 1 FROM q, batch "
                + "WHERE (b.space_id, b.id) = (batch.space_id, batch.id) RETURNING *", true, true, true
        ),
        ("UPDATE a.b SET x = 1 FROM a.batch", false, false, false),
        ("UPDATE a.b SET x = 1 WHERE y IN (SELECT y FROM batch)", false, false, false),
        ("UPDATE a.b SET x = 1 FROM batch", false, false, false),
        (
            "WITH q AS (UPDATE a.b SET x = 1 FROM batch WHERE (b.space_id, b.id) = (batch.space_id, batch.id) "
                + "RETURNING *) SELECT * FROM q", false, true, true
        ),
    ])
    func partsOfAnUpdate(_ sql: String, hasWith: Bool, hasReturning: Bool, joinsBatch: Bool) throws {
        guard case .changeRows(let update) = try action(sql) else {
            Issue.record("\(sql) changes rows")
            return
        }
        #expect(update.hasWith == hasWith && update.hasReturning == hasReturning && update.joinsBatch == joinsBatch)
    }

    /// Conditions that restrict an UPDATE to the rows of its batch.
    @Test(arguments: [
        "UPDATE a.b AS t SET x = 1 FROM batch WHERE (t.space_id, t.id) = (batch.space_id, batch.id)",
        "UPDATE a.b AS t SET x = 1 FROM batch WHERE (batch.id, t.space_id) = (t.id, batch.space_id) AND t.x IS NULL",
        "UPDATE a.b AS t SET x = 1 FROM batch WHERE t.x > 1 AND (t.id = batch.id AND batch.space_id = t.space_id)",
        "UPDATE a.b SET x = 1 FROM batch WHERE (b.space_id, b.id) = (batch.space_id, batch.id)",
        "UPDATE a.b SET x = 1 FROM batch WHERE (a.b.space_id, b.id) = (batch.space_id, batch.id)",
        "UPDATE a.b AS t SET x = 1 FROM batch AS s, a.c WHERE (t.space_id, t.id) = (s.space_id, s.id) AND c.id = t.id",
        "UPDATE a.b AS t SET x = 1 FROM batch WHERE ROW(t.space_id, t.id) OPERATOR(pg_catalog.=) ROW(batch.space_id, "
            + "batch.id) AND (t.x = 1 OR t.y = 2)",
    ])
    func aBatchIsJoined(_ sql: String) throws {
        guard case .changeRows(let update) = try action(sql) else { Issue.record("\(sql) changes rows"); return }
        #expect(update.joinsBatch)
    }

    /// Conditions that may match other rows, although they name the batch and its key.
    @Test(arguments: [
        "(t.space_id, t.id) = (batch.space_id, batch.id) OR true",
        "t.space_id = batch.space_id AND t.id = batch.id OR t.x IS NULL",
        "t.space_id = batch.space_id AND (t.id = batch.id OR true)",
        "NOT (t.space_id, t.id) = (batch.space_id, batch.id)",
        "NOT NOT (t.space_id, t.id) = (batch.space_id, batch.id)",
        "t.space_id = batch.space_id", "t.id = batch.id", "(t.space_id, t.id) <> (batch.space_id, batch.id)",
        "(t.space_id, t.id) >= (batch.space_id, batch.id)", "(t.space_id, t.id) = (t.space_id, t.id)",
        "(batch.space_id, batch.id) = (batch.space_id, batch.id)", "(t.space_id, t.id) = (batch.id, batch.space_id)",
        "CASE WHEN t.x THEN true ELSE (t.space_id, t.id) = (batch.space_id, batch.id) END",
        "coalesce((t.space_id, t.id) = (batch.space_id, batch.id), true)",
        "((t.space_id, t.id) = (batch.space_id, batch.id)) IS NOT TRUE",
        "((t.space_id, t.id) = (batch.space_id, batch.id)) = (t.x = 1)",
        "EXISTS (SELECT 1 FROM batch AS c WHERE (t.space_id, t.id) = (c.space_id, c.id))",
        "(t.space_id, t.id) IN (SELECT space_id, id FROM batch)",
        "(t.space_id, t.id) OPERATOR(a.=) (batch.space_id, batch.id)",
        "(o.space_id, o.id) = (batch.space_id, batch.id)", "true", "t.space_id = batch.space_id AND t.x = batch.id",
        "(b.space_id, b.id) = (batch.space_id, batch.id)",
        "t.space_id || '' = batch.space_id || '' AND t.id = batch.id",
    ])
    func aBatchIsNotJoined(_ condition: String) throws {
        let sql = "UPDATE a.b AS t SET x = 1 FROM batch, a.o AS o WHERE \(condition)"
        guard case .changeRows(let update) = try action(sql) else { Issue.record("\(sql) changes rows"); return }
        #expect(!update.joinsBatch)
    }

    @Test(arguments: [
        ("x = 1", true), ("true", false), ("1 = 1", false), ("'a' = 'a'", false), ("1 = 2", true),
        ("x = 1 OR true", false),
        ("x = 1 AND true", true), ("NOT false", true), ("EXISTS (SELECT 1)", true),
    ])
    func whatLeavesNothingOutIsNoCondition(_ condition: String, isOne: Bool) throws {
        guard case .changeRows(let change) = try action("DELETE FROM a.b WHERE \(condition)") else {
            Issue.record("\(condition)")
            return
        }
        #expect(change.hasWhere == isOne)
    }

    /// Words in brackets inside a body belong to another statement.
    @Test(arguments: [
        ("UPDATE a.b SET x = (SELECT y FROM a.c WHERE z), alive = false", ["x", "alive"], false),
        ("UPDATE a.b SET (x, alive) = (1, false) WHERE y = 1", ["x", "alive"], true),
        ("UPDATE a.b AS t SET x[1] = 2, y = t.x = 3 FROM a.c, a.d WHERE c.id = d.id", ["x", "y"], true),
        ("UPDATE a.b SET x = f(1, y => 2), z = 3", ["x", "z"], false),
        ("INSERT INTO a.b (x) VALUES (1) ON CONFLICT (x) DO UPDATE SET x = 2, died = 1", ["x", "died"], false),
        (
            "MERGE INTO a.b AS t USING a.c AS c ON c.id = t.id WHEN MATCHED AND c.x THEN UPDATE SET x = 1, born = 2 "
                + "WHEN MATCHED THEN UPDATE SET alive = false WHEN NOT MATCHED THEN INSERT (id) VALUES (1)",
            ["x", "born", "alive"], false
        ),
    ])
    func aBodysClausesAreItsOwn(_ sql: String, sets columns: [String], hasWhere: Bool) throws {
        let script = try SQLScript(parsing: "DO $$ BEGIN \(sql); END $$")
        let change = try #require(script.statements[0].changes.first)
        #expect(change.updatedColumns == columns && change.hasWhere == hasWhere, "\(change)")
    }

    @Test func aTableIsReadWhole() throws {
        let created = try action(
            """
            CREATE TABLE IF NOT EXISTS a.b (
                LIKE sync.record INCLUDING ALL, LIKE a.c INCLUDING DEFAULTS,
                x int4 DEFAULT 1 CHECK (x > 0), y varchar(10)[] NOT NULL, z timestamp with time zone UNIQUE,
                s serial REFERENCES a.d (id), PRIMARY KEY (x, y), CONSTRAINT k CHECK (y IS NOT NULL AND z IS NOT NULL)
            )
            """)
        guard case .createTable(let table) = created else {
            Issue.record("\(created)")
            return
        }
        #expect(table.table.description == "a.b" && table.ifNotExists && !table.isTemporary)
        #expect(table.likes.map(\.source.description) == ["sync.record", "a.c"])
        #expect(table.likes.map(\.includesAll) == [true, false])
        #expect(table.columns.map(\.name) == ["x", "y", "z", "s"])
        #expect(table.columns.map(\.type.name.description) == ["int4", "varchar", "timestamptz", "serial"])
        #expect(table.columns.map(\.type.isArray) == [false, true, false, false])
        #expect(table.columns.map(\.type.hasModifier) == [false, true, false, false])
        #expect(table.primaryKey == ["x", "y"])
        #expect(table.constraints.compactMap(\.name) == ["k"])
        guard case .check(let expression)? = table.constraints.last?.kind else {
            Issue.record("\(table.constraints)")
            return
        }
        #expect(expression.provenNotNull == ["y", "z"])
    }

    @Test func aFunctionIsRead() throws {
        let created = try action(
            """
            CREATE OR REPLACE FUNCTION a.f(x int) RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
            SET search_path = pg_catalog SET work_mem = '1MB' AS $$ BEGIN RETURN NEW; END $$
            """)
        guard case .createFunction(let function) = created else {
            Issue.record("\(created)")
            return
        }
        #expect(function.isReplacing && function.isSecurityDefiner)
        #expect(function.settings == ["search_path": ["pg_catalog"], "work_mem": ["1MB"]])
        #expect(function.language == "plpgsql")
        #expect(function.source == " BEGIN RETURN NEW; END ")
    }

    @Test func whatIsDroppedAndRenamedIsNamed() throws {
        guard case .drop(let dropped) = try action("DROP TABLE IF EXISTS a.b, c CASCADE") else {
            Issue.record("no drop")
            return
        }
        #expect(dropped.kind == .table && dropped.names.map(\.description) == ["a.b", "c"])
        #expect(dropped.ifExists && dropped.cascades && !dropped.concurrently)
        guard case .rename(let renamed) = try action("ALTER TABLE a.b RENAME COLUMN x TO y") else {
            Issue.record("no rename")
            return
        }
        #expect(renamed.kind == .column && renamed.part == "x" && renamed.newName == "y")
        #expect(renamed.relation == SQLName(schema: "a", name: "b"))
    }

    @Test(arguments: [
        ("BEGIN", "TRANS_STMT_BEGIN"), ("COMMIT", "TRANS_STMT_COMMIT"), ("SAVEPOINT s", "TRANS_STMT_SAVEPOINT"),
    ])
    func transactionsAreNamed(_ sql: String, _ name: String) throws {
        #expect(try action(sql) == .transaction(name))
    }

    @Test func settingsSayHowLongTheyHold() throws {
        #expect(try action("SET search_path = ''") == .set("search_path", isLocal: false))
        #expect(try action("SET LOCAL lock_timeout = '1s'") == .set("lock_timeout", isLocal: true))
        #expect(try action("SET TRANSACTION READ ONLY") == .set("TRANSACTION", isLocal: true))
        #expect(try action("RESET ALL") == .set(nil, isLocal: false))
    }

    @Test func callsAreReadWithTheirConstants() throws {
        let statement = try #require(
            try SQLScript(parsing: "SELECT sync.enroll('a.b'), f('c.d'::regclass, 1, x)").statements.first)
        #expect(statement.calls.map(\.function.description) == ["sync.enroll", "f"])
        #expect(statement.calls.map(\.constants) == [["a.b"], ["c.d"]])
    }

    @Test func relationsLeaveOutItsOwnQueries() throws {
        let statement = try #require(
            try SQLScript(parsing: "WITH q AS (SELECT 1 FROM a.b) SELECT * FROM q, c, x.q, a.b").statements.first)
        #expect(statement.relations.map(\.description) == ["a.b", "c", "x.q"])
    }
}
