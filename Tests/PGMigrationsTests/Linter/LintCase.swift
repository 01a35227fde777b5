import Postgres
import Testing

@testable import PGMigrations
@testable import SyncEngine
@testable import SyncServer

/// A file that breaks a rule, and a file as similar as possible that keeps it.
struct LintCase: Sendable, CustomTestStringConvertible {
    let rule: String
    /// The name of the migration line of both files.
    let line: String
    let broken: String
    /// The line of the finding in the faulty file.
    let foundLine: Int
    let sound: String

    init(_ rule: String, in line: String = "fitiq", _ broken: String, at foundLine: Int = 1, sound: String) {
        self.rule = rule
        self.line = line
        self.broken = broken
        self.foundLine = foundLine
        self.sound = sound
    }

    var testDescription: String { rule }

    static let all =
        ownText + locks + constraints + compatibility + data + records + walls + access + types + sessions + unseen

    private static let ownText = [
        LintCase(
            "allow-without-reason", "-- lint: allow(rename) because so\nALTER TABLE a.b RENAME TO c",
            sound: "-- lint: allow(rename) because nobody has ever served it\nALTER TABLE a.b RENAME TO c"),
        LintCase(
            "allow-unknown-rule", "SELECT 1;\n-- lint: allow(renames) because nobody has ever served it\nSELECT 2",
            at: 2,
            sound: "SELECT '\n-- lint: allow(renames) because nobody has ever served it\n'"),
        LintCase(
            "allow-unused", "-- lint: allow(rename) because nobody has ever served it\nSELECT 1",
            sound: "-- lint: allow(rename) because nobody has ever served it\nALTER TABLE a.b RENAME TO c"),
    ]

    private static let locks = [
        LintCase(
            "index-not-concurrent", "CREATE INDEX i ON fitiq.sd_meal (space_id, name)",
            sound: "CREATE TABLE fitiq.new (LIKE sync.record);\nCREATE INDEX ON fitiq.new (space_id, id)"),
        LintCase(
            "index-not-concurrent", "DROP INDEX IF EXISTS fitiq.i",
            sound: "-- migrate: transaction=none\nDROP INDEX CONCURRENTLY IF EXISTS fitiq.i"),
        LintCase(
            "index-not-concurrent", "REINDEX TABLE fitiq.sd_meal", sound: "REINDEX TABLE CONCURRENTLY fitiq.sd_meal"),
        LintCase(
            "concurrently-in-transaction", "SELECT 1;\nVACUUM fitiq.sd_meal", at: 2,
            sound: "-- phase: expand\n-- migrate: transaction=none\nVACUUM fitiq.sd_meal;"),
        LintCase(
            "volatile-default", "ALTER TABLE fitiq.sd_meal ADD COLUMN x uuid DEFAULT gen_random_uuid()",
            sound: "ALTER TABLE fitiq.sd_meal ADD COLUMN x timestamptz DEFAULT now()"),
        LintCase(
            "volatile-default", "ALTER TABLE fitiq.sd_meal ADD COLUMN x bigint GENERATED ALWAYS AS (seq * 2) STORED",
            sound: "ALTER TABLE fitiq.sd_meal ADD COLUMN x bigint, ALTER x SET DEFAULT random()::bigint"),
        LintCase(
            "column-type-changed", "ALTER TABLE fitiq.sd_meal ALTER COLUMN notes TYPE json USING notes::json",
            sound: "ALTER TABLE fitiq.sd_meal ALTER COLUMN notes SET DEFAULT ''"),
        LintCase("table-rewrite", "VACUUM (FULL) fitiq.sd_meal", sound: "VACUUM (FULL false) fitiq.sd_meal"),
        LintCase("table-rewrite", "CLUSTER fitiq.sd_meal USING i", sound: "ALTER TABLE fitiq.sd_meal CLUSTER ON i"),
        LintCase(
            "table-rewrite", "ALTER TABLE fitiq.sd_meal SET UNLOGGED",
            sound: "ALTER TABLE fitiq.sd_meal SET (fillfactor = 90)"),
        LintCase(
            "lock-table", "LOCK TABLE fitiq.sd_meal IN SHARE MODE", sound: "SELECT id FROM fitiq.sd_meal FOR UPDATE"),
        LintCase(
            "several-tables-locked",
            "ALTER TABLE fitiq.sd_meal ADD COLUMN x text;\nALTER TABLE fitiq.sd_workout ADD COLUMN x text;", at: 2,
            sound: """
                -- phase: expand
                ALTER TABLE fitiq.sd_meal ADD COLUMN x text;
                -- phase: expand
                ALTER TABLE fitiq.sd_workout ADD COLUMN x text;
                """),
        LintCase(
            "several-alters",
            "ALTER TABLE fitiq.sd_meal ADD COLUMN x text;\nALTER TABLE fitiq.sd_meal ADD COLUMN y text;", at: 2,
            sound: """
                ALTER TABLE fitiq.sd_meal ADD COLUMN x text, ADD COLUMN y text;
                ALTER TABLE fitiq.sd_meal NO FORCE ROW LEVEL SECURITY;
                """),
    ]

    private static let constraints = [
        LintCase(
            "constraint-checked-at-once", "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (seq > 0)",
            sound: "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (seq > 0) NOT VALID"),
        LintCase(
            "constraint-checked-at-once", in: "sync",
            "ALTER TABLE sync.mark ADD COLUMN x bigint REFERENCES sync.other (id)",
            sound: "CREATE TABLE sync.new (x bigint REFERENCES sync.other (id) CHECK (x > 0))"),
        LintCase(
            "validated-in-same-transaction",
            """
            ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (seq > 0) NOT VALID;
            ALTER TABLE fitiq.sd_meal VALIDATE CONSTRAINT c;
            """, at: 2,
            sound: """
                -- phase: expand
                ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (seq > 0) NOT VALID;
                -- phase: expand
                ALTER TABLE fitiq.sd_meal VALIDATE CONSTRAINT c;
                """),
        LintCase(
            "unique-without-index", "ALTER TABLE fitiq.sd_meal ADD UNIQUE (space_id, name)",
            sound: "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c UNIQUE USING INDEX i"),
        LintCase(
            "set-not-null-unproven",
            """
            -- phase: expand
            ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (notes IS NOT NULL) NOT VALID;
            -- phase: contract
            ALTER TABLE fitiq.sd_meal ALTER COLUMN notes SET NOT NULL;
            """, at: 4,
            sound: """
                -- phase: expand
                ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (notes IS NOT NULL AND seq > 0) NOT VALID;
                -- phase: contract
                ALTER TABLE fitiq.sd_meal VALIDATE CONSTRAINT c;
                -- phase: contract
                ALTER TABLE fitiq.sd_meal ALTER COLUMN notes SET NOT NULL;
                """),
        LintCase(
            "required-without-default", "ALTER TABLE fitiq.sd_meal ADD COLUMN x text NOT NULL",
            sound: "ALTER TABLE fitiq.sd_meal ADD COLUMN x text NOT NULL DEFAULT ''"),
    ]

    private static let compatibility = [
        LintCase(
            "drop-outside-contract", "ALTER TABLE fitiq.sd_meal DROP COLUMN old",
            sound: "-- phase: contract\nALTER TABLE fitiq.sd_meal DROP COLUMN old"),
        LintCase(
            "drop-outside-contract", "DROP FUNCTION fitiq.f()",
            sound: "CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE sql AS 'SELECT 1'; DROP FUNCTION fitiq.f()"),
        LintCase(
            "drop-mapped-column", "-- phase: contract\nALTER TABLE fitiq.sd_meal DROP COLUMN notes", at: 2,
            sound: "-- phase: contract\nALTER TABLE fitiq.sd_meal DROP COLUMN nobody_uses_it"),
        LintCase(
            "drop-mapped-column", "-- phase: contract\nDROP TABLE fitiq.sd_meal", at: 2,
            sound: "-- phase: contract\nDROP TABLE fitiq.sd_nothing"),
        LintCase(
            "rename", "-- phase: contract\nALTER TABLE fitiq.sd_meal RENAME COLUMN notes TO remarks", at: 2,
            sound: "ALTER INDEX fitiq.i RENAME TO j"),
        LintCase(
            "rename", "ALTER TABLE fitiq.sd_meal SET SCHEMA elsewhere",
            sound: "CREATE TABLE fitiq.new (LIKE sync.record); ALTER TABLE fitiq.new RENAME TO newer"),
        LintCase("drop-cascade", "DROP VIEW fitiq.v CASCADE", sound: "DROP VIEW fitiq.v"),
        LintCase("truncate", "TRUNCATE fitiq.sd_meal", sound: "CREATE TABLE sync.new (x int); TRUNCATE sync.new"),
    ]

    private static let update = "UPDATE fitiq.sd_meal AS item SET notes = '' "
    private static let join = "FROM batch WHERE (item.space_id, item.id) = (batch.space_id, batch.id)"
    private static let backfill = "-- sync: silent\n-- phase: backfill\n-- migrate: batch=1000 table=fitiq.sd_meal\n"

    private static let data = [
        LintCase(
            "data-without-effect", "-- sync is silent\nDELETE FROM fitiq.sd_meal WHERE NOT alive;",
            at: 2, sound: "-- sync: silent\nDELETE FROM fitiq.sd_meal WHERE NOT alive;"),
        LintCase(
            "data-without-effect", "INSERT INTO fitiq.sd_meal SELECT * FROM fitiq.sd_workout",
            sound: "UPDATE sync.server SET origin = NULL WHERE is_only"),
        LintCase(
            "mixed-data-and-schema",
            "ALTER TABLE fitiq.sd_meal ADD COLUMN x text;\nDELETE FROM sync.clamp WHERE app = 'fitiq'", at: 2,
            sound: """
                -- phase: expand
                ALTER TABLE fitiq.sd_meal ADD COLUMN x text;
                -- phase: expand
                DELETE FROM sync.clamp WHERE app = 'fitiq';
                """),
        LintCase(
            "mixed-data-and-schema",
            "DELETE FROM sync.clamp WHERE sent = 0;\nCREATE TRIGGER t AFTER INSERT ON sync.mark EXECUTE FUNCTION f()",
            sound: "CREATE TABLE sync.n (x text); INSERT INTO sync.n VALUES (''); COMMENT ON TABLE sync.mark IS ''"),
        LintCase("unbounded-change", update + "WHERE notes IS NULL", sound: backfill + update + join),
        LintCase(
            "unbounded-change", in: "sync", "DELETE FROM sync.clamp", sound: "DELETE FROM sync.clamp WHERE sent = 0"),
        LintCase("backfill-shape", backfill + update + "WHERE notes IS NULL", at: 4, sound: backfill + update + join),
        LintCase(
            "backfill-shape", backfill + "WITH q AS (SELECT 1) " + update + join, at: 4, sound: backfill + update + join
        ),
        LintCase("backfill-shape", backfill + update + join + " RETURNING *", at: 4, sound: backfill + update + join),
        LintCase(
            "backfill-shape", backfill + update + join + " OR true", at: 4,
            sound: backfill + update + join + " AND (notes IS NULL OR true)"),
        LintCase("backfill-shape", backfill + update + "FROM batch", at: 4, sound: backfill + update + join),
        LintCase(
            "backfill-shape", backfill + update + join + ";\nDELETE FROM sync.clamp WHERE sent = 0", at: 5,
            sound: backfill + update + join + ";\n-- phase: backfill\n-- migrate: table=fitiq.sd_meal\n" + update + join
        ),
        LintCase(
            "backfill-shape", backfill.replacing("sd_meal", with: "sd_workout") + update + join, at: 4,
            sound: backfill + update + join),
        LintCase(
            "verify-shape", "-- phase: verify\nDELETE FROM sync.clamp WHERE sent = 0", at: 2,
            sound: "-- phase: verify\nSELECT id FROM fitiq.sd_meal WHERE notes IS NULL"),
        LintCase(
            "not-idempotent", "-- migrate: transaction=none\nCREATE INDEX CONCURRENTLY i ON fitiq.sd_meal (space_id)",
            at: 2,
            sound: "-- migrate: transaction=none\nCREATE INDEX CONCURRENTLY IF NOT EXISTS i ON fitiq.sd_meal (space_id)"
        ),
    ]

    private static let walls = [
        LintCase(
            "record-table", "CREATE TABLE fitiq.new (LIKE sync.record INCLUDING ALL, x text)",
            sound: "CREATE TABLE fitiq.new (LIKE sync.record INCLUDING ALL, x text); SELECT sync.enroll('fitiq.new')"),
        LintCase(
            "record-table",
            "CREATE TABLE fitiq.new (LIKE sync.record INCLUDING DEFAULTS, x text); SELECT sync.enroll('fitiq.new')",
            sound: "CREATE TEMP TABLE new (x text)"),
        LintCase(
            "table-without-wall", in: "sync",
            """
            CREATE TABLE sync.new (space_id uuid PRIMARY KEY);
            ALTER TABLE sync.new ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON sync.new USING (false);
            """,
            sound: """
                CREATE TABLE sync.new (space_id uuid, x text, PRIMARY KEY (space_id, x));
                ALTER TABLE sync.new ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
                CREATE POLICY p ON sync.new USING (false);
                """),
        LintCase(
            "table-without-wall", in: "sync",
            """
            CREATE TABLE sync.new (space_id uuid, x text PRIMARY KEY);
            ALTER TABLE sync.new ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
            CREATE POLICY p ON sync.new USING (false);
            """, sound: "CREATE TABLE sync.new (x text)"),
        LintCase(
            "wall-left-open", "ALTER TABLE fitiq.sd_meal NO FORCE ROW LEVEL SECURITY",
            sound: """
                ALTER TABLE fitiq.sd_meal NO FORCE ROW LEVEL SECURITY;
                ALTER TABLE fitiq.sd_meal FORCE ROW LEVEL SECURITY;
                """),
        LintCase(
            "wall-left-open",
            """
            -- migrate: transaction=none
            ALTER TABLE fitiq.sd_meal DISABLE ROW LEVEL SECURITY;
            ALTER TABLE fitiq.sd_meal ENABLE ROW LEVEL SECURITY;
            """, at: 2, sound: "ALTER TABLE fitiq.sd_meal ENABLE ROW LEVEL SECURITY"),
        LintCase(
            "index-without-space", "CREATE INDEX CONCURRENTLY i ON fitiq.sd_meal (name, space_id)",
            sound: "CREATE INDEX CONCURRENTLY i ON fitiq.sd_meal (space_id, lower(name))"),
        LintCase(
            "index-without-space", "CREATE TABLE fitiq.new (LIKE sync.record INCLUDING ALL, x text UNIQUE)",
            sound: "CREATE TABLE fitiq.new (LIKE sync.record INCLUDING ALL, x text, UNIQUE (space_id, x))"),
        LintCase(
            "foreign-key-between-records",
            "ALTER TABLE fitiq.sd_meal ADD FOREIGN KEY (space_id, x) REFERENCES fitiq.sd_workout NOT VALID",
            sound:
                "ALTER TABLE sync.mark ADD FOREIGN KEY (space_id, app) REFERENCES sync.space NOT VALID"),
        LintCase(
            "view-without-security-invoker", "CREATE VIEW fitiq.v AS SELECT * FROM fitiq.sd_meal",
            sound: "CREATE VIEW fitiq.v WITH (security_invoker) AS SELECT * FROM fitiq.sd_meal"),
        LintCase(
            "view-without-security-invoker", "CREATE MATERIALIZED VIEW fitiq.v AS SELECT * FROM fitiq.sd_meal",
            sound: "CREATE TEMP TABLE v AS SELECT * FROM fitiq.sd_meal"),
        LintCase(
            "definer-without-search-path",
            "CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE sql SECURITY DEFINER SET work_mem = '1MB' AS 'SELECT 1'",
            sound: """
                CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE sql SECURITY DEFINER
                SET search_path = pg_catalog, pg_temp AS 'SELECT 1'
                """),
        LintCase(
            "definer-without-search-path",
            """
            CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE sql SECURITY DEFINER SET search_path = pg_temp, pg_catalog
            AS 'SELECT 1'
            """,
            sound: "CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE sql SET search_path = pg_catalog AS 'SELECT 1'"),
        LintCase(
            "definer-without-search-path", "ALTER FUNCTION fitiq.f() SET search_path = pg_catalog",
            sound: "ALTER FUNCTION fitiq.f() SET search_path = pg_catalog, pg_temp"),
        LintCase(
            "definer-without-search-path", "ALTER FUNCTION fitiq.f() SECURITY DEFINER",
            sound: "ALTER FUNCTION fitiq.f() SECURITY DEFINER SET search_path = pg_catalog, pg_temp"),
        LintCase(
            "definer-without-search-path", "ALTER FUNCTION fitiq.f() RESET ALL",
            sound: "ALTER FUNCTION fitiq.f() SET work_mem = '1MB'"),
    ]

    private static let types = [
        LintCase(
            "enum-type", "CREATE TYPE fitiq.mood AS ENUM ('good', 'bad')",
            sound: "CREATE TYPE fitiq.pair AS (x text, y text)"),
        LintCase("enum-type", "ALTER TYPE fitiq.mood ADD VALUE 'so'", sound: "CREATE DOMAIN fitiq.name AS text"),
        LintCase(
            "text-with-length", "ALTER TABLE fitiq.sd_meal ADD COLUMN x varchar(20)",
            sound: "ALTER TABLE fitiq.sd_meal ADD COLUMN x varchar"),
        LintCase("text-with-length", "CREATE TABLE sync.new (x char(3))", sound: "CREATE TABLE sync.new (x text)"),
        LintCase(
            "timestamp-without-zone", "CREATE TABLE sync.new (x timestamp)",
            sound: "CREATE TABLE sync.new (x timestamp with time zone, y date, z time)"),
        LintCase(
            "serial-column", "CREATE TABLE sync.new (x bigserial)",
            sound: "CREATE TABLE sync.new (x bigint GENERATED ALWAYS AS IDENTITY)"),
        LintCase(
            "reference-without-index", "ALTER TABLE fitiq.sd_meal ADD COLUMN user_profile uuid",
            sound: """
                -- phase: expand
                ALTER TABLE fitiq.sd_meal ADD COLUMN user_profile uuid, ADD COLUMN other uuid;
                -- phase: expand
                -- migrate: transaction=none
                CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON fitiq.sd_meal (space_id, user_profile, id);
                """),
        LintCase(
            "small-key", "CREATE TABLE sync.new (x int, PRIMARY KEY (x))",
            sound: "CREATE TABLE sync.new (x bigint PRIMARY KEY, y int)"),
    ]

    private static let sessions = [
        LintCase("transaction-control", "SELECT 1;\nCOMMIT;", at: 2, sound: "DO $$ BEGIN NULL; END $$"),
        LintCase("set-without-local", "SET lock_timeout = '1s'", sound: "SET LOCAL lock_timeout = '1s'"),
        LintCase("set-without-local", "RESET ALL", sound: "SET TRANSACTION READ ONLY"),
        LintCase(
            "unqualified-name", "ALTER TABLE sd_meal ADD COLUMN x text",
            sound: "WITH q AS (SELECT 1) SELECT * FROM q, pg_class, fitiq.sd_meal"),
        LintCase(
            "unqualified-name", update + "FROM batch WHERE true",
            sound: backfill + update + join + ";\n-- phase: contract\nCREATE TEMP TABLE x (y int); DROP TABLE x"),
        LintCase("extension", "CREATE EXTENSION IF NOT EXISTS citext", sound: "CREATE SCHEMA IF NOT EXISTS citext"),
        LintCase("code-not-checked", "CALL fitiq.p()", sound: "SELECT fitiq.f()"),
    ]
}
