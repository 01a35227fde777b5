import Postgres
import SQLText

/// A session that holds locks for which a migration waits.
package struct Blocker: Sendable, Hashable {
    /// The process ID, as `pg_stat_activity.pid`.
    package let processID: Int
    package let application: String
    /// The session's state: `active`, `idle in transaction`, …; empty if the role may not see it.
    package let state: String
    /// The age of the session's transaction, in seconds.
    package let transactionSeconds: Int
}

extension Blocker: CustomStringConvertible {
    package var description: String {
        "server process \(processID) (\(application), \(state), for \(transactionSeconds) s)"
    }
}

extension Blocker {
    /// Returns the sessions that block the server process `processID` now. To be called on another session than the one
    /// that waits.
    static func blocking(_ processID: Int32, _ session: isolated Session) throws(PGError) -> [Blocker] {
        try read(
            Command(
                """
                SELECT blocker.pid,
                       coalesce(activity.application_name, ''),
                       coalesce(activity.state, ''),
                       coalesce(extract(epoch FROM now() - activity.xact_start), 0)::bigint
                FROM unnest(pg_blocking_pids($1::integer)) AS blocker (pid)
                LEFT JOIN pg_stat_activity AS activity USING (pid)
                ORDER BY blocker.pid
                """, [.int(Int64(processID))]), session)
    }

    /// Returns the sessions that hold conflicting locks on these tables. It is used after a wait has ended, when
    /// PostgreSQL no longer reports which sessions block. A table that does not exist has no blockers.
    static func holding(_ locks: [TableLock], _ session: isolated Session) throws(PGError) -> [Blocker] {
        let tables = locks.map { lock in
            [lock.table.schema, lock.table.name].compactMap { $0 }.map(quoted).joined(separator: ".")
        }
        return try read(
            Command(
                """
                SELECT DISTINCT held.pid,
                       coalesce(activity.application_name, ''),
                       coalesce(activity.state, ''),
                       coalesce(extract(epoch FROM now() - activity.xact_start), 0)::bigint
                FROM unnest($1::text[], $2::text[]) AS wanted (name, modes)
                JOIN pg_locks AS held
                    ON held.locktype = 'relation' AND held.granted AND held.relation = to_regclass(wanted.name)
                    AND held.mode = ANY (string_to_array(wanted.modes, ','))
                LEFT JOIN pg_stat_activity AS activity USING (pid)
                WHERE held.pid <> pg_backend_pid()
                ORDER BY held.pid
                """,
                [.texts(tables), .texts(locks.map { $0.mode.conflicting.map(\.heldName).joined(separator: ",") })]),
            session)
    }

    private static func read(_ command: Command, _ session: isolated Session) throws(PGError) -> [Blocker] {
        let rows = try session.execute(command)
        return (0..<rows.count).map { row in
            Blocker(
                processID: Int(rows.int(row, 0)), application: rows.string(row, 1), state: rows.string(row, 2),
                transactionSeconds: Int(rows.int(row, 3)))
        }
    }
}
