/// Files without any hazard, about which the linter must report nothing.
enum HarmlessStatements {
    private static let apart = "-- migrate: transaction=none\n"
    private static let batches = "-- sync: silent\n-- phase: backfill\n-- migrate: table=fitiq.sd_meal batch=500\n"

    static let all = [
        "SELECT 1", "SELECT count(*) FROM fitiq.sd_meal WHERE notes IS NULL",
        "WITH q AS (SELECT id FROM fitiq.sd_meal) SELECT * FROM q JOIN fitiq.sd_workout AS w ON w.id = q.id",
        "ALTER TABLE fitiq.sd_meal ADD COLUMN shade text",
        "ALTER TABLE fitiq.sd_meal ADD COLUMN shade text, ADD COLUMN tint text",
        "ALTER TABLE fitiq.sd_meal ADD COLUMN IF NOT EXISTS shade text NOT NULL DEFAULT ''",
        "ALTER TABLE fitiq.sd_meal ADD COLUMN at timestamptz DEFAULT now()",
        "ALTER TABLE fitiq.sd_meal ADD COLUMN count bigint DEFAULT 0",
        "ALTER TABLE fitiq.sd_meal ADD COLUMN \"order\" text",
        "ALTER TABLE fitiq.sd_meal ALTER notes SET DEFAULT ''",
        "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (seq > 0) NOT VALID",
        "ALTER TABLE fitiq.sd_meal VALIDATE CONSTRAINT c", "ALTER TABLE fitiq.sd_meal SET (fillfactor = 90)",
        "ALTER TABLE fitiq.sd_meal ALTER notes SET STATISTICS 500",
        "ALTER TABLE fitiq.sd_meal ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
        apart + "CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON fitiq.sd_meal (space_id, notes)",
        apart + "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON fitiq.sd_meal (space_id, notes) WHERE alive",
        apart + "DROP INDEX CONCURRENTLY IF EXISTS fitiq.i", apart + "REINDEX TABLE CONCURRENTLY fitiq.sd_meal",
        apart + "VACUUM (ANALYZE) fitiq.sd_meal", "ANALYZE fitiq.sd_meal", "ALTER INDEX fitiq.i RENAME TO j",
        "CREATE TABLE fitiq.x (LIKE sync.record INCLUDING ALL, y text); SELECT sync.enroll('fitiq.x')",
        "CREATE TABLE fitiq.\"user\" (LIKE sync.record INCLUDING ALL, y text); SELECT sync.enroll('fitiq.\"user\"')",
        "CREATE TABLE fitiq.x (LIKE sync.record INCLUDING ALL, y text); CREATE INDEX ON fitiq.x (space_id, y);\n"
            + "SELECT sync.enroll('fitiq.x')",
        "CREATE TEMP TABLE x (y text); INSERT INTO x VALUES ('a'); DELETE FROM x; DROP TABLE x",
        "CREATE TABLE sync.x (y text); INSERT INTO sync.x VALUES ('a'); UPDATE sync.x SET y = ''; TRUNCATE sync.x",
        "CREATE SCHEMA IF NOT EXISTS other", "COMMENT ON TABLE fitiq.sd_meal IS 'a meal'",
        "COMMENT ON COLUMN fitiq.sd_meal.notes IS 'UPDATE fitiq.sd_meal'",
        "GRANT SELECT ON fitiq.sd_meal TO syncserver_serving", "REVOKE ALL ON SCHEMA fitiq FROM PUBLIC",
        "CREATE TYPE fitiq.pair AS (x text, y text)", "CREATE DOMAIN fitiq.name AS text",
        "CREATE SEQUENCE IF NOT EXISTS fitiq.s",
        "CREATE STATISTICS IF NOT EXISTS fitiq.st ON space_id, seq FROM fitiq.sd_meal",
        "CREATE VIEW fitiq.v WITH (security_invoker = true) AS SELECT id FROM fitiq.sd_meal",
        "CREATE FUNCTION fitiq.f(x text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT lower($1)'; SELECT fitiq.f('')",
        "CREATE FUNCTION fitiq.f() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$\n"
            + "BEGIN IF TG_OP = 'UPDATE' THEN NEW.notes := lower(NEW.notes); END IF; RETURN NEW; END $$;\n"
            + "CREATE TRIGGER t BEFORE INSERT OR UPDATE ON fitiq.sd_meal FOR EACH ROW EXECUTE FUNCTION fitiq.f()",
        "SET LOCAL work_mem = '64MB'", "SET LOCAL extra_float_digits = 1", "SET TRANSACTION READ ONLY",
        "EXPLAIN UPDATE fitiq.sd_meal SET notes = ''", "EXPLAIN DELETE FROM fitiq.sd_meal",
        "SELECT pg_typeof(1), coalesce(NULL, 1), current_setting('work_mem')",
        "DELETE FROM sync.clamp WHERE app = 'fitiq'", "INSERT INTO sync.clamp (app) VALUES ('fitiq')",
        "UPDATE sync.server SET origin = NULL WHERE is_only",
        batches + "UPDATE fitiq.sd_meal AS t SET notes = lower(t.notes) FROM batch\n"
            + "WHERE (t.space_id, t.id) = (batch.space_id, batch.id) AND t.notes IS NOT NULL",
        batches.replacing("silent", with: "republish(SDMeal)")
            + "UPDATE fitiq.sd_meal AS t SET notes = '' FROM batch\n"
            + "WHERE (t.space_id, t.id) = (batch.space_id, batch.id)",
        "-- phase: verify\nSELECT id FROM fitiq.sd_meal WHERE notes = 'DELETE FROM fitiq.sd_meal'",
        "-- phase: contract\n-- requires: census(<0.1.0)=0 for 30d\nALTER TABLE fitiq.sd_meal DROP COLUMN unused",
        "-- phase: contract\n-- requires: retired(<0.1.0)\nDROP TRIGGER t ON fitiq.sd_meal; DROP FUNCTION fitiq.f()",
        "-- lint: allow(rename) because no server has ever used this table\nALTER TABLE fitiq.sd_meal RENAME TO meals",
        "-- It may delete from fitiq.sd_meal one day.\nSELECT 'TRUNCATE fitiq.sd_meal'",
    ]
}
