/// Settings of PostgreSQL that can change the meaning or the result of an SQL statement. Each of the server's sessions
/// sets them, whatever values the database, the login or PostgreSQL's configuration has.
///
/// The operator decides on all other settings. They determine how and where rows are stored (`default_tablespace`,
/// `default_toast_compression`), how safely (`synchronous_commit`), and how queries are planned (`enable_…`).
/// `default_transaction_read_only` is also left alone, because providers set it when a disk is nearly full.
package enum PinnedSettings {
    /// The settings that any login may set, each with the value that every session gives it. The values are
    /// PostgreSQL's own defaults, except for the time zone and the languages. Some settings exist only in later
    /// versions of PostgreSQL.
    package static let meanings: [(name: String, value: String)] = [
        // The meaning of a text, a name or an operator.
        ("standard_conforming_strings", "on"), ("backslash_quote", "safe_encoding"), ("array_nulls", "on"),
        ("transform_null_equals", "off"), ("xmloption", "content"), ("xmlbinary", "base64"),
        ("search_path", "\"$user\", public"), ("default_text_search_config", "pg_catalog.simple"),
        ("plpgsql.extra_errors", "none"), ("plpgsql.check_asserts", "on"),
        // The formats in which values are read and written.
        ("TimeZone", "UTC"), ("timezone_abbreviations", "Default"), ("DateStyle", "ISO, MDY"),
        ("IntervalStyle", "postgres"), ("bytea_output", "hex"), ("extra_float_digits", "1"),
        ("quote_all_identifiers", "off"), ("lc_monetary", "C"), ("lc_numeric", "C"), ("lc_time", "C"),
        // Side effects of statements.
        ("check_function_bodies", "on"), ("default_table_access_method", "heap"), ("createrole_self_grant", ""),
        ("default_transaction_isolation", "read committed"), ("default_transaction_deferrable", "off"),
        ("gin_fuzzy_search_limit", "0"), ("exit_on_error", "off"),
        // The rows and tables that statements see.
        ("row_security", "on"), ("restrict_nonsystem_relation_kind", ""),
    ]

    /// The timeouts of PostgreSQL that would end idle sessions and long transactions. They are off, because a session
    /// that waits for notifications may be idle for any time. `SessionSettings` has the timeouts that the server uses.
    package static let limits: [(name: String, value: String)] = [
        ("idle_session_timeout", "0"), ("transaction_timeout", "0"),
    ]

    /// The settings that only a superuser may set, each with its required value. Sessions of other logins cannot set
    /// them, so the server checks them with the query `reading`.
    package static let privileged: [(name: String, value: String)] = [
        ("session_replication_role", "origin"), ("plpgsql.variable_conflict", "error"),
    ]

    /// The SQL script that applies the settings to a session. It skips the settings that this version of PostgreSQL
    /// does not have. It sets the privileged ones only if the login is a superuser.
    static let script = """
        SELECT pg_catalog.set_config(name, value, false)
        FROM (VALUES \(list(meanings + limits))) AS pinned (name, value)
        WHERE pg_catalog.current_setting(name, true) IS NOT NULL;
        SELECT pg_catalog.set_config(name, value, false) FROM (VALUES \(list(privileged))) AS pinned (name, value)
        WHERE pg_catalog.current_setting(name, true) IS NOT NULL
            AND pg_catalog.current_setting('is_superuser') = 'on';
        """

    /// The query for the settings in `privileged` whose values in the session differ from the required ones. Its rows
    /// are `(name, value)`, with the value in the session.
    package static let reading = Command(
        Statement(
            unchecked: """
                SELECT name, current_setting(name) FROM (VALUES \(list(privileged))) AS pinned (name, value)
                WHERE current_setting(name, true) <> value
                """))

    private static func list(_ settings: [(name: String, value: String)]) -> String {
        settings.map { "('\($0.name)', '\($0.value)')" }.joined(separator: ", ")
    }
}
