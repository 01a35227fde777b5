extension Hazard {
    /// Statements that weaken row-level security or grant further privileges.
    static let opening = [
        Hazard("CREATE TABLE fitiq.x (id uuid PRIMARY KEY)", "record-table"),
        Hazard("CREATE TABLE fitiq.x AS SELECT * FROM fitiq.sd_meal", "record-table"),
        Hazard("SELECT * INTO fitiq.x FROM fitiq.sd_meal", "record-table"),
        Hazard("CREATE TABLE fitiq.x PARTITION OF fitiq.sd_meal DEFAULT", "record-table"),
        Hazard("CREATE TABLE sync.x (space_id uuid PRIMARY KEY)", "table-without-wall"),
        Hazard("ALTER TABLE fitiq.sd_meal DISABLE ROW LEVEL SECURITY", "wall-left-open"),
        Hazard("ALTER TABLE fitiq.sd_meal NO FORCE ROW LEVEL SECURITY", "wall-left-open"),
        Hazard("CREATE POLICY p ON fitiq.sd_meal USING (true)", "policy-changed"),
        Hazard("ALTER POLICY space ON fitiq.sd_meal USING (true)", "policy-changed"),
        Hazard("DROP POLICY space ON fitiq.sd_meal", "policy-changed"),
        Hazard("GRANT SELECT ON fitiq.sd_meal TO PUBLIC", "grant-to-public"),
        Hazard("GRANT ALL ON ALL TABLES IN SCHEMA fitiq TO PUBLIC", "grant-to-public"),
        Hazard("ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC", "grant-to-public"),
        Hazard("ALTER TABLE fitiq.sd_meal OWNER TO someone", "owner-changed"),
        Hazard("ALTER FUNCTION fitiq.f() OWNER TO someone", "owner-changed"),
        Hazard("REASSIGN OWNED BY a TO b", "owner-changed"),
        Hazard("CREATE ROLE x SUPERUSER LOGIN", "role-changed"),
        Hazard("ALTER ROLE x BYPASSRLS", "role-changed"),
        Hazard("ALTER ROLE x RENAME TO y", "role-changed"),
        Hazard("DROP ROLE x", "role-changed"),
        Hazard("GRANT pg_read_all_data TO x", "role-changed"),
        Hazard("ALTER TABLE fitiq.sd_meal DISABLE TRIGGER ALL", "trigger-disabled"),
        Hazard("ALTER TABLE fitiq.sd_meal ENABLE REPLICA TRIGGER t", "trigger-disabled"),
        Hazard("SET LOCAL ROLE postgres", "session-as-another"),
        Hazard("SET LOCAL session_replication_role = replica", "session-as-another"),
        Hazard("SET LOCAL row_security = off", "session-as-another"),
        Hazard("CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON fitiq.sd_meal (notes)", "index-without-space"),
        Hazard("CREATE TABLE fitiq.x (LIKE sync.record INCLUDING ALL, y text UNIQUE)", "index-without-space"),
        Hazard(
            "ALTER TABLE fitiq.sd_meal ADD FOREIGN KEY (x) REFERENCES fitiq.sd_workout NOT VALID",
            "foreign-key-between-records"),
        Hazard("CREATE VIEW fitiq.v AS SELECT * FROM fitiq.sd_meal", "view-without-security-invoker"),
        Hazard("CREATE MATERIALIZED VIEW fitiq.v AS SELECT 1", "view-without-security-invoker"),
        Hazard(
            "CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
            "definer-without-search-path"),
        Hazard("ALTER FUNCTION fitiq.f() SECURITY DEFINER", "definer-without-search-path"),
    ]

    /// Statements whose effects cannot be seen, which the linter reports.
    static let hiding = [
        Hazard("DO $$ BEGIN EXECUTE 'DELETE FROM fitiq.' || 'sd_meal'; END $$", "code-not-checked"),
        Hazard("DO LANGUAGE plpython3u 'pass'", "code-not-checked"),
        Hazard("CALL fitiq.p()", "code-not-checked"),
        Hazard("SELECT fitiq.made_elsewhere()", "function-not-seen"),
        Hazard("SELECT sync.erase_space()", "function-not-seen"),
        Hazard("INSERT INTO sync.clamp SELECT fitiq.made_elsewhere()", "function-not-seen"),
        Hazard(
            "CREATE FUNCTION fitiq.f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE x; END $$;\nSELECT fitiq.f()",
            "function-not-seen"),
        Hazard(
            "CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE c AS 'lib', 'f';\nSELECT fitiq.f()", "function-not-seen"),
        Hazard("SELECT query_to_xml('DELETE FROM fitiq.sd_meal', true, true, '')", "reaching-function"),
        Hazard("SELECT lo_unlink(1)", "reaching-function"),
        Hazard("SELECT pg_read_file('x')", "reaching-function"),
        Hazard("SELECT pg_terminate_backend(pid) FROM pg_stat_activity", "reaching-function"),
        Hazard("EXECUTE p", "statement-not-checked"),
        Hazard("LISTEN x", "statement-not-checked"),
        Hazard("NOTIFY x", "statement-not-checked"),
        Hazard("DISCARD ALL", "statement-not-checked"),
        Hazard("CHECKPOINT", "statement-not-checked"),
        Hazard("DECLARE c CURSOR FOR SELECT 1", "statement-not-checked"),
        Hazard("SECURITY LABEL ON TABLE fitiq.sd_meal IS 'x'", "statement-not-checked"),
    ]
}
