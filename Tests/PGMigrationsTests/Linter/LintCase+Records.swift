extension LintCase {
    private static let function = """
        CREATE FUNCTION fitiq.fix() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog AS $$
            WITH u AS (UPDATE fitiq.sd_meal SET notes = 'fixed' RETURNING 1) SELECT count(*) FROM u
        $$;

        """
    private static let harmless = """
        CREATE FUNCTION fitiq.fix(a text) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog AS $$
        BEGIN -- UPDATE fitiq.sd_meal SET notes = '';
            RETURN a || 'DELETE FROM fitiq.sd_meal'; END
        $$;

        """

    /// Cases of statements that change records, at any depth and by functions.
    static let records = [
        LintCase(
            "data-without-effect", "EXPLAIN ANALYZE UPDATE fitiq.sd_meal SET notes = 'x'",
            sound: "EXPLAIN UPDATE fitiq.sd_meal SET notes = 'x'"),
        LintCase(
            "data-without-effect", function + "SELECT fitiq.fix();", at: 4, sound: harmless + "SELECT fitiq.fix('');"),
        LintCase(
            "data-without-effect", "DO $$ BEGIN UPDATE fitiq.sd_meal SET notes = ''; END $$",
            sound: "DO $$ BEGIN PERFORM 1 FROM fitiq.sd_meal FOR UPDATE; END $$"),
        LintCase(
            "data-without-effect",
            "MERGE INTO fitiq.sd_meal AS m USING fitiq.sd_mood AS o ON m.id = o.id WHEN MATCHED THEN DELETE",
            sound: "SELECT * FROM fitiq.sd_meal"),
        LintCase(
            "data-without-effect", "ALTER TABLE fitiq.sd_meal ALTER COLUMN notes TYPE text USING upper(notes)",
            sound: "ALTER TABLE fitiq.sd_meal ALTER COLUMN notes SET DEFAULT ''"),
        LintCase(
            "data-without-effect",
            "ALTER TABLE fitiq.sd_meal DROP COLUMN notes;\nALTER TABLE fitiq.sd_meal ADD COLUMN notes text", at: 2,
            sound: "-- sync: silent\nALTER TABLE fitiq.sd_meal DROP COLUMN notes, ADD COLUMN notes text"),
        LintCase(
            "data-without-effect",
            """
            ALTER TABLE fitiq.sd_meal ADD COLUMN other text;
            ALTER TABLE fitiq.sd_meal RENAME COLUMN notes TO old;
            ALTER TABLE fitiq.sd_meal RENAME COLUMN other TO notes;
            """, at: 3,
            sound: "ALTER TABLE fitiq.sd_meal RENAME COLUMN notes TO old; ALTER TABLE fitiq.sd_meal ADD COLUMN x text"),
        LintCase(
            "drop-mapped-column", "DROP TABLE fitiq.sd_meal;\n" + remade,
            sound: "CREATE TABLE fitiq.work (x text); DROP TABLE fitiq.work"),
        LintCase(
            "drop-outside-contract", "DROP TABLE fitiq.sd_meal;\n" + remade,
            sound: remade + "; DROP TABLE fitiq.sd_meal"),
        LintCase(
            "rename", "ALTER TABLE fitiq.sd_meal RENAME TO old;\n" + remade,
            sound: "CREATE TABLE fitiq.work (x text); ALTER TABLE fitiq.work RENAME TO rest"),
        LintCase(
            "own-columns",
            "-- sync: silent\nCREATE VIEW fitiq.v AS SELECT alive AS there FROM fitiq.sd_meal;\n"
                + "UPDATE fitiq.v SET there = false WHERE there", at: 3,
            sound: "-- sync: silent\nCREATE VIEW fitiq.v AS SELECT notes AS alive FROM fitiq.sd_meal;\n"
                + "UPDATE fitiq.v SET alive = '' WHERE alive = 'x'"),
        LintCase(
            "unbounded-change", "-- sync: silent\n" + function + "SELECT fitiq.fix();", at: 5,
            sound: "-- sync: silent\n" + harmless + "SELECT fitiq.fix('');"),
        LintCase(
            "records-deleted",
            """
            -- sync: silent
            WITH moved AS (DELETE FROM fitiq.sd_meal WHERE alive RETURNING space_id, id)
            INSERT INTO fitiq.meal_archive (space_id, id) SELECT space_id, id FROM moved;
            """, at: 2,
            sound:
                "-- sync: silent\nINSERT INTO fitiq.meal_archive (id) SELECT id FROM fitiq.sd_meal"),
        LintCase(
            "records-deleted", "-- sync: republish(SDMeal)\nDELETE FROM fitiq.sd_meal WHERE NOT alive", at: 2,
            sound: "DELETE FROM sync.clamp WHERE sent = 0"),
        LintCase(
            "records-deleted", "DO $$ BEGIN DELETE FROM fitiq.sd_meal; END $$",
            sound: "DO $$ BEGIN RAISE NOTICE 'DELETE FROM fitiq.sd_meal'; END $$"),
        LintCase(
            "own-columns", "-- sync: silent\nUPDATE fitiq.sd_meal SET alive = false, notes = '' WHERE notes = ''",
            at: 2, sound: "-- sync: silent\nUPDATE fitiq.sd_meal SET notes = '' WHERE alive = false"),
        LintCase(
            "republish-entity", "-- sync: republish(SDMeals)\n" + backfilling, at: 4,
            sound: "-- sync: republish(SDMeal)\n" + backfilling),
        LintCase(
            "republish-entity", "-- sync: republish(SDMoodEntry)\n" + backfilling, at: 4,
            sound: "-- sync: republish(SDMoodEntry, SDMeal)\n" + backfilling),
        LintCase(
            "unlogged", "ALTER TABLE fitiq.sd_meal SET UNLOGGED", sound: "ALTER TABLE fitiq.sd_meal SET LOGGED"),
        LintCase(
            "unlogged",
            "CREATE UNLOGGED TABLE fitiq.scratch (LIKE sync.record INCLUDING ALL); SELECT sync.enroll('fitiq.scratch')",
            sound: "CREATE TEMP TABLE scratch (x text)"),
        LintCase("function-changes-records", function, sound: harmless),
        LintCase("truncate", "DO $$ BEGIN TRUNCATE fitiq.sd_meal; END $$", sound: "SELECT truncate(1)"),
        LintCase(
            "record-table", "CREATE TABLE fitiq.copy AS SELECT * FROM fitiq.sd_meal",
            sound: "CREATE TEMP TABLE copy AS SELECT * FROM fitiq.sd_meal"),
        LintCase(
            "record-table",
            "CREATE TABLE fitiq.\"user\" (LIKE sync.record INCLUDING ALL); SELECT sync.enroll('fitiq.\"User\"')",
            sound:
                "CREATE TABLE fitiq.\"user\" (LIKE sync.record INCLUDING ALL); SELECT sync.enroll('fitiq.\"user\"')"),
    ]

    private static let remade =
        "CREATE TABLE fitiq.sd_meal (LIKE sync.record INCLUDING ALL);\nSELECT sync.enroll('fitiq.sd_meal')"

    private static let backfilling = """
        -- phase: backfill
        -- migrate: batch=1000 table=fitiq.sd_meal
        UPDATE fitiq.sd_meal AS item SET notes = '' FROM batch
        WHERE (item.space_id, item.id) = (batch.space_id, batch.id)
        """

    /// Cases of effects that the text does not show, and of statements that are not the runner's.
    static let unseen = [
        LintCase("copy", "COPY fitiq.food_kind (code, name) FROM STDIN", sound: "SELECT 'COPY fitiq.x FROM STDIN'"),
        LintCase("copy", "COPY (SELECT 1) TO STDOUT", sound: "SELECT 1"),
        LintCase(
            "rewrite-rule", "CREATE RULE r AS ON INSERT TO fitiq.sd_meal DO ALSO DELETE FROM fitiq.sd_mood_entry",
            sound: "CREATE TRIGGER t BEFORE INSERT ON fitiq.sd_meal FOR EACH ROW EXECUTE FUNCTION fitiq.f()"),
        LintCase("drop-owned", "DROP OWNED BY syncserver_serving", sound: "DROP SCHEMA fitiq"),
        LintCase(
            "owner-changed", "REASSIGN OWNED BY a TO b", sound: "REVOKE ALL ON fitiq.sd_meal FROM syncserver_serving"),
        LintCase(
            "server-changed", "ALTER DATABASE sync SET standard_conforming_strings = off",
            sound: "SET LOCAL standard_conforming_strings = on"),
        LintCase("server-changed", "ALTER SYSTEM SET fsync = off", sound: "SET LOCAL work_mem = '1MB'"),
        LintCase("server-changed", "ALTER DATABASE a RENAME TO b", sound: "ALTER SCHEMA fitiq RENAME TO b"),
        LintCase("role-changed", "ALTER ROLE a RENAME TO b", sound: "ALTER TABLE fitiq.a RENAME TO b"),
        LintCase("rename", "ALTER SCHEMA fitiq RENAME TO b", sound: "ALTER ROLE a RENAME TO b"),
        LintCase(
            "rename", "ALTER FUNCTION fitiq.f() RENAME TO g",
            sound:
                "CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER FUNCTION fitiq.f() RENAME TO g"
        ),
        LintCase("limit-changed", "SET LOCAL lock_timeout = 0", sound: "SET LOCAL work_mem = '1MB'"),
        LintCase(
            "limit-changed", "SELECT set_config('statement_timeout', '0', true)",
            sound: "SELECT current_setting('statement_timeout')"),
        LintCase(
            "requirement-unknown", "-- phase: contract\n-- requires: cencus(<2.0.0)=0 for 30d\nSELECT 1", at: 3,
            sound: "-- phase: contract\n-- requires: retired( <0.1.0 )\nSELECT 1"),
        LintCase(
            "requirement-unknown", "-- phase: contract\n-- requires: census(<=0.1.0)=0 for 30d\nSELECT 1", at: 3,
            sound: "-- phase: contract\n-- requires: census(<0.1.0)=0 for 365d\nSELECT 1"),
        LintCase(
            "requirement-unknown", "-- phase: contract\n-- requires: census(<0.1.0)=0 for 0d\nSELECT 1", at: 3,
            sound: "-- phase: contract\n-- requires: census(<0.1.0)=0 for 1s\nSELECT 1"),
        LintCase(
            "requirement-unknown", "-- phase: contract\n-- requires: census(<0.1.0)=0 for 366d\nSELECT 1", at: 3,
            sound: "-- phase: contract\n-- requires: census(<0.1.0)=0 for 8760h\nSELECT 1"),
        LintCase(
            "requirement-unknown",
            "-- phase: contract\n-- requires: census(<0.1.0)=0 for 99999999999999999999d\nSELECT 1", at: 3,
            sound: "-- phase: contract\n-- requires: census( < 0.1.0 ) = 0 for 30d\nSELECT 1"),
        LintCase(
            "requirement-unknown", "-- phase: contract\n-- requires: census(<0.1)=0 for 30d\nSELECT 1", at: 3,
            sound: "-- phase: contract\n-- requires: census(<0.1.0)=0 for 30m\nSELECT 1"),
        LintCase(
            "requirement-unknown", "-- phase: contract\n-- requires: census(<2.0.0)=0 for 30d\nSELECT 1", at: 3,
            sound: "-- phase: contract\n-- requires: census(<0.0.6)=0 for 30d\nSELECT 1"),
        LintCase(
            "requirement-unknown", "-- phase: contract\n-- requires: retired(<9.0.0)\nSELECT 1", at: 3,
            sound: "-- phase: contract\n-- requires: retired(<0.1.0)\nSELECT 1"),
        LintCase(
            "reaching-function", "SELECT pg_terminate_backend(1)",
            sound: "SELECT pg_typeof(1), now(), max(seq) FROM a.b"),
        LintCase("function-not-seen", "SELECT fitiq.elsewhere()", sound: harmless + "SELECT fitiq.fix('')"),
        LintCase(
            "function-not-seen",
            """
            CREATE FUNCTION fitiq.run(a text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE a; END $$;
            SELECT fitiq.run('DELETE FROM fitiq.sd_meal');
            """, at: 2,
            sound: """
                CREATE FUNCTION fitiq.run(a text) RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE a; END $$;
                CREATE TRIGGER t BEFORE INSERT ON fitiq.sd_meal FOR EACH ROW EXECUTE FUNCTION fitiq.run('')
                """),
        LintCase("statement-not-checked", "LISTEN x", sound: "CREATE TYPE fitiq.pair AS (x text, y text)"),
        LintCase("statement-not-checked", "EXECUTE x", sound: "PREPARE x AS SELECT 1"),
        LintCase(
            "enum-type", "ALTER DOMAIN fitiq.name ADD CHECK (VALUE <> '')", sound: "CREATE DOMAIN fitiq.n AS text"),
    ]
}
