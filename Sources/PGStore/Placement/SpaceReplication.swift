package import Postgres
package import WireFormats

/// The statements by which PostgreSQL replicates the rows of some spaces from one database to another (manual, chapter
/// 31, logical replication). They need the rights to replicate.
package struct SpaceReplication: Sendable {
    /// The name of the publication and the slot in the source, and of the subscription in the target. Slots belong to
    /// the whole cluster, so the name contains the OID of the directory's database.
    package let name: String
    private let spaces: SpaceSet

    /// The beginning of all names.
    private static let prefix = "syncserver_move_"

    /// - Parameter directory: the OID of the directory's database, from `readingOID`.
    package init(of move: SpaceMove, directory: Int64) {
        name = "\(SpaceReplication.prefix)\(directory)_\(move.id)"
        spaces = move.spaces
    }

    /// Reads the OID of the session's database.
    package static let readingOID: Command = """
        SELECT oid::bigint FROM pg_database WHERE datname = current_database()
        """

    // MARK: The source

    /// Publishes the rows of the spaces in these tables, and the marks of all moves.
    package func publishing(_ tables: [MovedTable]) -> Command {
        let parts = tables.map { "\($0.name) WHERE (\(spaces.contains("space_id")))" } + ["sync.move_mark"]
        return Command(
            Statement(
                unchecked: """
                    CREATE PUBLICATION \(name) FOR TABLE \(parts.joined(separator: ", "))
                    WITH (publish = 'insert, update, delete', publish_via_partition_root = true)
                    """))
    }

    /// Reads if the publication exists.
    package var findingPublication: Command {
        Command("SELECT EXISTS (SELECT FROM pg_publication WHERE pubname = $1)", [.text(name)])
    }

    package var unpublishing: Command { Command(Statement(unchecked: "DROP PUBLICATION IF EXISTS \(name)")) }

    /// Makes the slot, in which the source keeps what the target lacks. A subscription to another database of the same
    /// cluster could not make it: it would wait for itself.
    package var reserving: Command {
        Command("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [.text(name)])
    }

    /// Reads the number of slots of this name that the database has, and how many bytes of the write-ahead log the
    /// source keeps for it.
    package var findingSlot: Command {
        Command(
            """
            SELECT count(*), coalesce(max(pg_current_wal_lsn() - restart_lsn), 0)::bigint FROM pg_replication_slots
            WHERE slot_name = $1 AND database = current_database()
            """, [.text(name)])
    }

    /// Drops the slot if it exists and nobody reads it, and returns the number of slots that were dropped.
    package var releasing: Command {
        Command(
            """
            SELECT count(pg_drop_replication_slot(slot_name)) FROM pg_replication_slots
            WHERE slot_name = $1 AND database = current_database() AND NOT active
            """, [.text(name)])
    }

    /// Reads the transactions that hold a lock for writing on one of the tables, as an array of texts.
    package static func findingWriters(_ tables: [MovedTable]) -> Command {
        Command(
            """
            SELECT DISTINCT virtualtransaction FROM pg_locks
            WHERE locktype = 'relation' AND granted AND relation = ANY ($1::text[]::regclass[])
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND mode IN (
                    'RowShareLock', 'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
                AND pid IS DISTINCT FROM pg_backend_pid()
            """, [.texts(tables.map(\.name))])
    }

    /// Counts those of these transactions that have not ended.
    package static func counting(_ writers: [String]) -> Command {
        Command("SELECT count(*) FROM pg_locks WHERE virtualtransaction = ANY ($1)", [.texts(writers)])
    }

    /// Stores a mark, which comes to the target after all changes that were committed before it.
    package static func marking(_ mark: ID) -> Command {
        Command("INSERT INTO sync.move_mark (mark) VALUES ($1)", [.id(mark)])
    }

    /// Reads if a mark has come.
    package static func finding(_ mark: ID) -> Command {
        Command("SELECT EXISTS (SELECT FROM sync.move_mark WHERE mark = $1)", [.id(mark)])
    }

    package static let removingMarks: Command = "DELETE FROM sync.move_mark"

    // MARK: The target

    /// Subscribes to the spaces: PostgreSQL copies their rows, and then applies the changes. The subscription contains
    /// the connection string with its password, so a superuser's session first keeps the statement out of logs.
    ///
    /// - Parameters:
    ///   - source: the connection from the target's server to the source.
    ///   - runsAsOwner: true for PostgreSQL 16 and later, where the changes would otherwise be applied in the role of
    ///     the tables' owner, for whom row-level security is forced.
    package func subscribing(to source: ConnectionString, runsAsOwner: Bool, isSuperuser: Bool) -> [Command] {
        let option = runsAsOwner ? ", run_as_owner = true" : ""
        let subscription = Command(
            Statement(
                unchecked: """
                    CREATE SUBSCRIPTION \(name) CONNECTION \(quotedLiteral(source.textRevealingSecrets))
                    PUBLICATION \(name) WITH (create_slot = false, slot_name = \(quotedLiteral(name))\(option))
                    """))
        let quiet: Command = """
            SELECT set_config('log_statement', 'none', true), set_config('log_min_duration_statement', '-1', true),
                set_config('log_min_error_statement', 'panic', true),
                set_config('pg_stat_statements.track_utility', 'off', true)
            """
        return isSuperuser ? [quiet, subscription] : [subscription]
    }

    /// Reads the progress of the subscription: `(exists, tables, tables in step, failed attempts)`.
    package var watching: Command {
        Command(
            """
            SELECT s.oid IS NOT NULL, count(r.srrelid), count(r.srrelid) FILTER (WHERE r.srsubstate = 'r'),
                coalesce(max(t.apply_error_count + t.sync_error_count), 0)
            FROM (SELECT) AS one
                LEFT JOIN pg_subscription AS s ON s.subname = $1
                    AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
                LEFT JOIN pg_subscription_rel AS r ON r.srsubid = s.oid
                LEFT JOIN pg_stat_subscription_stats AS t ON t.subid = s.oid
            GROUP BY s.oid
            """, [.text(name)])
    }

    /// Ends the subscription, its processes, and the slots that it has in the source. It cannot run in a transaction.
    package var unsubscribing: String { "DROP SUBSCRIPTION IF EXISTS \(name)" }

    /// Reads the rights and settings that replication needs: `(superuser, may subscribe, may replicate, version,
    /// wal_level, workers)`.
    package static let readingAbilities: Command = """
        SELECT r.rolsuper,
            r.rolsuper OR (v >= 160000 AND r.rolbypassrls AND EXISTS (
                SELECT FROM pg_roles AS p
                WHERE p.rolname = 'pg_create_subscription' AND pg_has_role(r.oid, p.oid, 'USAGE'))),
            r.rolsuper OR r.rolreplication, v::bigint, current_setting('wal_level'),
            current_setting('max_logical_replication_workers')::bigint
        FROM pg_roles AS r, CAST(current_setting('server_version_num') AS integer) AS v
        WHERE r.rolname = current_user
        """

    /// Reads if a move has left a publication or a subscription in the session's database.
    package static let findingAny: Command = """
        SELECT EXISTS (SELECT FROM pg_publication WHERE starts_with(pubname, 'syncserver_move_'))
            OR EXISTS (SELECT FROM pg_subscription WHERE starts_with(subname, 'syncserver_move_')
                AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database()))
        """
}
