extension Hazard {
    /// Statements that make others wait: locks, scans, rewrites. Each rule of that kind in squawk and strong_migrations
    /// is among them.
    static let waiting = [
        Hazard("CREATE INDEX i ON fitiq.sd_meal (space_id, notes)", "index-not-concurrent"),
        Hazard("CREATE UNIQUE INDEX i ON fitiq.sd_meal (space_id, notes)", "index-not-concurrent"),
        Hazard("CREATE INDEX i ON fitiq.sd_meal USING gin (space_id)", "index-not-concurrent"),
        Hazard("DROP INDEX fitiq.i", "index-not-concurrent"),
        Hazard("DROP INDEX IF EXISTS fitiq.i, fitiq.j", "index-not-concurrent"),
        Hazard("REINDEX INDEX fitiq.i", "index-not-concurrent"),
        Hazard("REINDEX TABLE fitiq.sd_meal", "index-not-concurrent"),
        Hazard("REINDEX SCHEMA fitiq", "index-not-concurrent"),
        Hazard("CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON fitiq.sd_meal (space_id)", "concurrently-in-transaction"),
        Hazard("DROP INDEX CONCURRENTLY IF EXISTS fitiq.i", "concurrently-in-transaction"),
        Hazard("REINDEX TABLE CONCURRENTLY fitiq.sd_meal", "concurrently-in-transaction"),
        Hazard("ALTER TABLE fitiq.a DETACH PARTITION fitiq.b CONCURRENTLY", "concurrently-in-transaction"),
        Hazard("VACUUM fitiq.sd_meal", "concurrently-in-transaction"),
        Hazard("VACUUM FULL fitiq.sd_meal", "table-rewrite"),
        Hazard("VACUUM (FULL true, ANALYZE) fitiq.sd_meal", "table-rewrite"),
        Hazard("CLUSTER fitiq.sd_meal USING i", "table-rewrite"),
        Hazard("CLUSTER", "table-rewrite"),
        Hazard("REFRESH MATERIALIZED VIEW fitiq.v", "table-rewrite"),
        Hazard("ALTER TABLE fitiq.sd_meal SET TABLESPACE fast", "table-rewrite"),
        Hazard("ALTER TABLE fitiq.sd_meal SET ACCESS METHOD heap", "table-rewrite"),
        Hazard("ALTER TABLE fitiq.sd_meal SET LOGGED", "table-rewrite"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x uuid DEFAULT gen_random_uuid()", "volatile-default"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x timestamptz DEFAULT clock_timestamp()", "volatile-default"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x float8 DEFAULT random()", "volatile-default"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x text DEFAULT fitiq.f()", "volatile-default"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x bigserial", "volatile-default"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x bigint GENERATED ALWAYS AS IDENTITY", "volatile-default"),
        Hazard(
            "ALTER TABLE fitiq.sd_meal ADD COLUMN x text GENERATED ALWAYS AS (upper(id)) STORED", "volatile-default"),
        Hazard("ALTER TABLE fitiq.sd_meal ALTER x ADD GENERATED ALWAYS AS IDENTITY", "volatile-default"),
        Hazard("ALTER TABLE fitiq.sd_meal ALTER notes TYPE json USING notes::json", "column-type-changed"),
        Hazard("ALTER TABLE fitiq.sd_meal ALTER notes TYPE varchar(40)", "column-type-changed"),
        Hazard("ALTER TABLE fitiq.sd_meal ALTER seq TYPE numeric", "column-type-changed"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (seq > 0)", "constraint-checked-at-once"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x bigint CHECK (x > 0)", "constraint-checked-at-once"),
        Hazard(
            "ALTER TABLE fitiq.sd_meal ADD FOREIGN KEY (user_profile) REFERENCES fitiq.sd_user_profile (id)",
            "constraint-checked-at-once"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD UNIQUE (space_id, notes)", "unique-without-index"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x text UNIQUE", "unique-without-index"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD PRIMARY KEY (space_id, seq)", "unique-without-index"),
        Hazard("ALTER TABLE fitiq.sd_meal ADD EXCLUDE USING gist (notes WITH =)", "unique-without-index"),
        Hazard("ALTER TABLE fitiq.sd_meal ALTER notes SET NOT NULL", "set-not-null-unproven"),
        Hazard(
            "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT c CHECK (seq > 0) NOT VALID;\n"
                + "ALTER TABLE fitiq.sd_meal VALIDATE CONSTRAINT c", "validated-in-same-transaction"),
        Hazard("LOCK TABLE fitiq.sd_meal", "lock-table"),
        Hazard("LOCK fitiq.sd_meal IN ROW EXCLUSIVE MODE", "lock-table"),
        Hazard(
            "ALTER TABLE fitiq.sd_meal ADD COLUMN x text;\nALTER TABLE fitiq.sd_workout ADD COLUMN x text",
            "several-tables-locked"),
        Hazard(
            "ALTER TABLE fitiq.sd_meal ADD COLUMN x text;\nALTER TABLE fitiq.sd_meal ADD COLUMN y text",
            "several-alters"),
        Hazard("-- sync: silent\nUPDATE fitiq.sd_meal SET notes = ''", "unbounded-change"),
        Hazard("-- sync: silent\nUPDATE fitiq.sd_meal SET notes = '' WHERE notes IS NULL", "unbounded-change"),
        Hazard("UPDATE sync.clamp SET sent = 0", "unbounded-change"),
        Hazard("DELETE FROM sync.clamp", "unbounded-change"),
        Hazard(
            "-- sync: silent\nWITH u AS (UPDATE fitiq.sd_meal SET notes = '' RETURNING id) SELECT count(*) FROM u",
            "unbounded-change"),
        Hazard(
            "-- sync: silent\nMERGE INTO fitiq.sd_meal AS m USING fitiq.sd_workout AS w ON m.id = w.id "
                + "WHEN MATCHED THEN UPDATE SET notes = ''", "unbounded-change"),
        Hazard("-- sync: silent\nEXPLAIN (ANALYZE) UPDATE fitiq.sd_meal SET notes = ''", "unbounded-change"),
        Hazard("-- sync: silent\nPREPARE p AS UPDATE fitiq.sd_meal SET notes = ''", "unbounded-change"),
        Hazard(
            "ALTER TABLE fitiq.sd_meal ADD COLUMN x text;\nDELETE FROM sync.clamp WHERE sent = 0",
            "mixed-data-and-schema"),
        Hazard("SET LOCAL lock_timeout = 0", "limit-changed"),
        Hazard("SET LOCAL statement_timeout = '1h'", "limit-changed"),
        Hazard("SELECT set_config('idle_in_transaction_session_timeout', '0', true)", "limit-changed"),
        Hazard("SELECT pg_sleep(60)", "reaching-function"),
        Hazard("SELECT pg_advisory_lock(1)", "reaching-function"),
    ]
}
