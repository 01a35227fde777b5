extension LintCase {
    /// Cases of roles and their privileges.
    static let access = [
        LintCase(
            "policy-changed", "CREATE POLICY open ON fitiq.sd_meal USING (true)",
            sound: """
                CREATE TABLE sync.new (space_id uuid PRIMARY KEY);
                CREATE POLICY space ON sync.new USING (false)
                """),
        LintCase(
            "policy-changed", "ALTER POLICY space ON fitiq.sd_meal USING (true)",
            sound: "ALTER TABLE fitiq.sd_meal FORCE ROW LEVEL SECURITY"),
        LintCase(
            "policy-changed", "DROP POLICY IF EXISTS space ON fitiq.sd_meal",
            sound: "DROP TRIGGER IF EXISTS space ON fitiq.sd_meal"),
        LintCase(
            "grant-to-public", "GRANT SELECT ON fitiq.sd_meal TO syncserver_serving, PUBLIC",
            sound: "GRANT SELECT ON fitiq.sd_meal TO syncserver_serving"),
        LintCase(
            "grant-to-public", "GRANT USAGE ON SCHEMA fitiq TO PUBLIC",
            sound: "REVOKE ALL ON SCHEMA fitiq FROM PUBLIC"),
        LintCase(
            "grant-to-public", "ALTER DEFAULT PRIVILEGES IN SCHEMA fitiq GRANT SELECT ON TABLES TO PUBLIC",
            sound: "ALTER DEFAULT PRIVILEGES IN SCHEMA fitiq REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC"),
        LintCase(
            "owner-changed", "ALTER TABLE fitiq.sd_meal OWNER TO syncserver_serving",
            sound: "ALTER TABLE fitiq.sd_meal CLUSTER ON i"),
        LintCase(
            "owner-changed", "ALTER FUNCTION sync.heads(text, uuid[]) OWNER TO CURRENT_USER",
            sound: "ALTER FUNCTION sync.heads(text, uuid[]) STABLE"),
        LintCase(
            "owner-changed", "ALTER SCHEMA fitiq OWNER TO someone", sound: "GRANT USAGE ON SCHEMA fitiq TO someone"),
        LintCase(
            "role-changed", "ALTER ROLE syncserver_serving BYPASSRLS",
            sound: "GRANT SELECT ON fitiq.sd_meal TO syncserver_serving"),
        LintCase("role-changed", "CREATE ROLE mine SUPERUSER", sound: "CREATE SCHEMA mine"),
        LintCase(
            "role-changed", "ALTER ROLE syncserver_serving SET row_security = off",
            sound: "ALTER TABLE fitiq.sd_meal SET (fillfactor = 90)"),
        LintCase(
            "role-changed", "GRANT pg_read_all_data TO syncserver_serving",
            sound: "GRANT ALL ON fitiq.sd_meal TO syncserver_serving"),
        LintCase(
            "trigger-disabled", "ALTER TABLE fitiq.sd_meal DISABLE TRIGGER ALL",
            sound: "ALTER TABLE fitiq.sd_meal ENABLE TRIGGER ALL"),
        LintCase(
            "trigger-disabled", "ALTER TABLE sync.space DISABLE TRIGGER USER",
            sound: "ALTER TABLE sync.space ENABLE TRIGGER USER"),
        LintCase(
            "trigger-disabled", "ALTER TABLE sync.space DISABLE TRIGGER list_space",
            sound: "ALTER TABLE sync.space ENABLE ALWAYS TRIGGER list_space"),
        LintCase(
            "trigger-disabled", "ALTER TABLE sync.space ENABLE REPLICA TRIGGER list_space",
            sound: "ALTER TABLE sync.space ENABLE TRIGGER list_space"),
        LintCase("session-as-another", "SET LOCAL ROLE syncserver_serving", sound: "SET LOCAL work_mem = '1MB'"),
        LintCase(
            "session-as-another", "SET LOCAL SESSION AUTHORIZATION someone",
            sound: "SET LOCAL application_name = 'someone'"),
        LintCase(
            "session-as-another", "SET LOCAL session_replication_role = replica",
            sound: "SET LOCAL synchronous_commit = off"),
        LintCase("session-as-another", "RESET ROLE", sound: "RESET work_mem"),
    ]
}
