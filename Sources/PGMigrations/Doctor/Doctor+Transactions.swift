import PGStore
import Postgres

/// Findings about transactions, replication slots and transaction ages that hold up vacuum and migrations.
extension Doctor {
    func transactions(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT pid::bigint, coalesce(usename, ''), application_name, state LIKE 'idle in transaction%',
                    extract(epoch FROM clock_timestamp() - xact_start)::bigint
                FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                    AND xact_start < clock_timestamp() - $1 * interval '1 second'
                ORDER BY xact_start
                """, [.double(Double(limits.transactionMax.components.seconds))]))
        return (0..<rows.count).map { row in
            let pid = rows.int(row, 0)
            let isIdle = rows.bool(row, 3)
            let who = [rows.string(row, 1), rows.string(row, 2)].filter { !$0.isEmpty }.joined(separator: ", ")
            let doing = isIdle ? "waits for its client in a transaction" : "is in a transaction"
            return .init(
                isIdle ? .idleInTransaction : .oldTransaction, .warning, "server process \(pid) (\(who))",
                "It \(doing) that began \(rows.int(row, 4)) s ago: its locks keep migrations waiting, and what was "
                    + "deleted since cannot be vacuumed.", "SELECT pg_terminate_backend(\(pid));")
        }
    }

    /// Returns a text with the number of other roles' sessions whose state this login may not read; empty if there are
    /// none.
    func hiddenSessions(_ session: isolated Session) throws(PGError) -> [String] {
        let rows = try session.execute(
            Command(
                """
                SELECT count(*), quote_ident(current_user) FROM pg_stat_activity AS a
                WHERE datname = current_database() AND usesysid IS NOT NULL AND backend_type IS NULL
                    AND NOT pg_has_role('pg_read_all_stats', 'USAGE')
                """))
        if rows.int(0, 0) == 0 { return [] }
        return [
            "the transactions of \(rows.int(0, 0)) sessions of other roles: GRANT pg_read_all_stats TO "
                + "\(rows.string(0, 1));"
        ]
    }

    func preparedTransactions(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT gid, quote_literal(gid), owner::text FROM pg_prepared_xacts
                WHERE database = current_database() AND prepared < clock_timestamp() - $1 * interval '1 second'
                ORDER BY prepared
                """, [.double(Double(limits.transactionMax.components.seconds))]))
        return (0..<rows.count).map { row in
            .init(
                .preparedTransaction, .warning, "prepared transaction \(rows.string(row, 0)) (\(rows.string(row, 2)))",
                "It holds its locks until somebody ends it, and keeps vacuum from what was deleted since. The server "
                    + "never prepares one.",
                "ROLLBACK PREPARED \(rows.string(row, 1)); or COMMIT PREPARED \(rows.string(row, 1));")
        }
    }

    func replicationSlots(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT slot_name::text, quote_literal(slot_name),
                    coalesce(
                        CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) END,
                        0)::bigint >> 20
                FROM pg_replication_slots WHERE NOT active AND NOT temporary ORDER BY 1
                """))
        return (0..<rows.count).map { row in
            .init(
                .replicationSlot, .warning, "replication slot \(rows.string(row, 0))",
                "Nobody reads from it. It keeps \(rows.int(row, 2)) MB of the log, and more until the disk is full.",
                "Start its reader again; or SELECT pg_drop_replication_slot(\(rows.string(row, 1)));")
        }
    }

    func transactionAge(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT greatest(age(datfrozenxid), mxid_age(datminmxid))::bigint, quote_ident(datname)
                FROM pg_database WHERE datname = current_database()
                """))
        if rows.int(0, 0) <= limits.transactionAgeMax { return [] }
        return [
            .init(
                .transactionAge, .error, "database \(rows.string(0, 1))",
                "Its oldest rows are \(rows.int(0, 0)) transactions old. At 2,147 million PostgreSQL takes no more "
                    + "writes.",
                "End old transactions and drop dead slots, see above; then VACUUM (FREEZE); as a superuser.")
        ]
    }
}
