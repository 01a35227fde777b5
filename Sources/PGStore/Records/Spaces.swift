import PlantedBugs
package import Postgres
package import WireFormats

/// The statements on `sync.space`, which has a row for each space. The row contains the space's head (its latest
/// sequence number). Transactions lock the row to lock the space.
package struct Spaces: Sendable {
    package let app: String
    /// The count of the app's migrations that this server knows. The server neither reads nor writes spaces into which
    /// a server with a higher count has pushed.
    package let level: Int
    /// The number of the app's migrations that a server must know to work with what this server writes. A push stores
    /// it in the space's row, unless the row has a higher one.
    private let claimedLevel: Int

    /// Composes the statements for one app.
    ///
    /// - Parameters:
    ///   - level: the number of the app's migrations that this server knows; 0 if the number is not checked.
    ///   - claimed: the number of migrations that a push stores in the space's row; `nil` means `level`.
    package init(app: String, level: Int = 0, claiming claimed: Int? = nil) {
        (self.app, self.level, claimedLevel) = (app, level, min(claimed ?? level, level))
    }

    /// Returns true if a server that knows more migrations has pushed into the space. This server can neither read nor
    /// preserve what the other wrote into its additional columns.
    package func isOutdated(for state: SpaceState) -> Bool { level > 0 && state.level > level }

    /// Returns true if the space is erased, or is being erased.
    package func isErased(_ state: SpaceState) -> Bool { state.level == Erasures.level }

    /// Enters a space, as the first command of a transaction on one space. From then on, row-level security shows the
    /// transaction only this space.
    package static func entering(_ space: ID) -> Command {
        Command(entering, [.text(space.description)])
    }

    private static let entering: Statement = "SELECT set_config('sync.space', $1, true)"

    /// The same as `entering`, for a transaction that waits at most `lockTimeout` for each lock.
    package static func entering(_ space: ID, lockTimeout: Duration) -> Command {
        Command(enteringBriefly, [.text(space.description), .text("\(lockTimeout.wholeMilliseconds)ms")])
    }

    private static let enteringBriefly: Statement = """
        SELECT set_config('sync.space', $1, true), set_config('lock_timeout', $2, true)
        """

    /// The same as `entering`, for a transaction that reads pages, in which each statement is planned only once. The
    /// same plan suits all values, because these statements read an index in its order. By default PostgreSQL would
    /// plan most of them again each time, because with the values it expects fewer rows (`choose_custom_plan` in
    /// plancache.c).
    package static func enteringToRead(_ space: ID) -> Command {
        Command(enteringToRead, [.text(space.description)])
    }

    private static let enteringToRead: Statement = """
        SELECT set_config('sync.space', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)
        """

    /// Lets the database check if it was restored from a backup, and if PostgreSQL was started again. After a
    /// restoration it gets a new epoch, and after a start a new era.
    package static let recognizing = Command("SELECT sync.recognize()")

    /// Prepares a session that serves requests; its first command. It does the same as `recognizing`, and limits the
    /// search path to PostgreSQL's own schemas. It also stores in the session how many migrations this server knows.
    /// Triggers read this number, and fill the columns that an older server does not write.
    ///
    /// - Parameter lines: the lines of migrations (the server's own, and one for each app), each with the count of
    ///   migrations that the server knows.
    package static func opening(for lines: [(name: String, level: Int)]) -> Command {
        Command(
            """
            SELECT (SELECT sync.recognize()), set_config('search_path', 'pg_catalog, pg_temp', false),
                set_config('sync.level_' || line, level::text, false)
            FROM unnest($1::text[], $2::bigint[]) AS known (line, level)
            """, [.texts(lines.map(\.name)), .ints(lines.map { Int64($0.level) })])
    }

    /// The first command of a session that only reads from a standby (a replica on which no session can write).
    package static let openingToRead: Command = "SELECT set_config('search_path', 'pg_catalog, pg_temp', false)"

    /// Takes the next `count` sequence numbers for a push, and locks the space until the transaction ends. The command
    /// returns a row that `SpaceClaim` parses, or no row if there is no such space yet. The row has `(head before,
    /// epoch, horizon, level, era, ended eras, record size, whether there may be clamped stamps, head now, whether
    /// there may be judged changes)`. Then follow the columns of `SpaceHolding`, with the size before the push, and the
    /// number of revocations.
    ///
    /// A push in which every change gets a number needs all `count` numbers, and no further statement for them.
    /// Otherwise the push ends with `advancing`, which sets the head to the last number that was used.
    ///
    /// - Parameter created: the number of records by which the space grows, if all records that the push creates are
    ///   new.
    package func claiming(_ count: Int, created: Int, in space: ID) -> Command {
        if PlantedBug.headBeforeLock.isPlanted { return Command(Spaces.peeking, [.id(space), .text(app)]) }
        return Command(
            Spaces.claiming,
            [.id(space), .text(app), .int(Int64(count)), .int(Int64(claimedLevel)), .int(Int64(created))])
    }

    private static let claiming = Statement(
        unchecked: """
            UPDATE sync.space AS space
            SET head = space.head + $3, level = greatest(space.level, $4), records = space.records + $5,
                counted_head = CASE WHEN space.counted_head = space.head THEN space.head + $3 END, \(enteringEra)
            FROM sync.server AS server
            WHERE space.space_id = $1 AND space.app = $2 AND server.is_only
            RETURNING space.head - $3, server.epoch, space.horizon, space.level, space.era, space.ended_eras,
                space.record_size, space.clamped, space.head, space.judged, space.records - $5, space.bytes,
                space.records_max, space.bytes_max, space.counted_head IS NOT NULL, space.rights
            """)
    private static let peeking: Statement = """
        SELECT s.head, e.epoch, s.horizon, s.level, s.era, s.ended_eras, s.record_size, s.clamped, s.head, s.judged,
            s.records, s.bytes, s.records_max, s.bytes_max, false, s.rights
        FROM sync.space AS s, sync.server AS e
        WHERE s.space_id = $1 AND s.app = $2
        """

    /// SQL for the assignments to the era columns, in an UPDATE of `space` (joined with `server`) that takes sequence
    /// numbers. If PostgreSQL was started since the space's latest push, the update stores the space's head for the era
    /// that ended, and sets the current era. Only 64 ended eras are stored: a device with a cursor of an older era
    /// reads everything again.
    package static let enteringEra = """
        era = server.era, ended_eras = CASE
            WHEN space.era IS NULL OR space.era = server.era THEN space.ended_eras
            ELSE (ARRAY[space.era, space.head] || space.ended_eras)[:128]
        END
        """

    /// Creates the space if it does not exist.
    package func creating(_ space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.space (space_id, app, record_size, records, bytes, counted_head)
            VALUES ($1, $2, 0, 0, 0, 0) ON CONFLICT DO NOTHING
            """, [.id(space), .text(app)])
    }

    /// Reads `(head, epoch, horizon, level, era, ended eras, record size, rights)`; all but the epoch are NULL if there
    /// is no such space yet.
    package func readingHead(_ space: ID) -> Command {
        Command(Spaces.readingHead, [.id(space), .text(app)])
    }

    /// Reads the database's epoch. Only cursors of this epoch are valid. Runs outside of any space.
    package static let readingEpoch: Command = "SELECT epoch FROM sync.server"

    private static let readingHead: Statement = """
        SELECT s.head, e.epoch, s.horizon, s.level, s.era, s.ended_eras, s.record_size, s.rights
        FROM sync.server AS e LEFT JOIN sync.space AS s ON s.space_id = $1 AND s.app = $2
        """

    /// Reads `(head, epoch, horizon, level, era, ended eras, rights)` of each of these spaces, in the order in which
    /// they are given. Runs outside of any space; see `readingHead`.
    package func readingHeads(_ spaces: [ID]) -> Command {
        Command(Spaces.readingHeads, [.text(app), .ids(spaces)])
    }

    private static let readingHeads: Statement = """
        SELECT head, epoch, horizon, level, era, ended_eras, rights FROM sync.space_states($1, $2)
        """

    /// Stores the result of a push in the space's row, at the push's end.
    ///
    /// - Parameters:
    ///   - head: the space's new head, the last sequence number that was used.
    ///   - recordSize: an upper bound for the size of the written records, in bytes. It is stored if it is higher than
    ///     the stored bound; if none is stored, the bound stays unknown.
    ///   - growth: the growth of the space, without the growth that `claiming` has already stored.
    package func advancing(_ space: ID, to head: Int64, recordSize: Int64, growth: Growth) -> Command {
        Command(
            Spaces.advancing,
            [
                .id(space), .text(app), .int(head), .int(Int64(claimedLevel)), .int(recordSize), .int(growth.records),
                .int(growth.bytes), .bool(growth.isExact),
            ])
    }

    private static let advancing: Statement = """
        UPDATE sync.space SET head = $3, level = greatest(level, $4),
            record_size = CASE WHEN record_size < $5 THEN $5 ELSE record_size END,
            records = greatest(records + $6, 0), bytes = greatest(bytes + $7, 0),
            counted_head = CASE WHEN counted_head IS NOT NULL AND $8 THEN $3 END
        WHERE space_id = $1 AND app = $2
        """

    /// Returns SQL for an expression about the upper bound for the size of each record of the space `$1` (see
    /// `SpaceState.recordSizeBytes`).
    ///
    /// The whole expression is in a sub-select, because its arithmetic may fail. PostgreSQL does not use a condition
    /// that may fail in an index scan before it has checked row-level security (manual, section 41.5, on leakproof
    /// functions). If the expression were outside of the sub-select, each page would read the space to its end.
    ///
    /// - Parameter expression: returns the SQL of the expression, given the SQL of the upper bound.
    static func fromRecordSize(app: String, _ expression: (String) -> String) -> String {
        let size = "coalesce(max(record_size), \(SpaceState.unmeasured))"
        return "(SELECT \(expression(size)) FROM sync.space WHERE space_id = $1 AND app = \(quotedLiteral(app)))"
    }

    /// A replaced (clamped) stamp: the stamp too far ahead that a device sent, and the stamp that the server gave in
    /// its place.
    package struct Clamp: Sendable {
        package let sent: Stamp
        package let given: Stamp
        /// The head (the latest sequence number) of the space when the push with this stamp began; `nil` if it is not
        /// known.
        package let seq: Int64?

        /// Parses the rows that the command `recallingClamps` returned.
        package static func all(_ rows: Rows) -> [Clamp] {
            (0..<rows.count).map {
                Clamp(
                    sent: Stamp(stored: rows.int($0, 0)), given: Stamp(stored: rows.int($0, 1)),
                    seq: rows.isNull($0, 2) ? nil : rows.int($0, 2))
            }
        }
    }

    /// Finds the replaced stamps that a device sent and that are from `first` through `last`. Returns `Clamp`s.
    package func recallingClamps(
        from first: Stamp, through last: Stamp, device: ID, in space: ID
    ) -> Command {
        Command(
            Spaces.recallingClamps,
            [.id(space), .text(app), .id(device), .int(first.rawValue), .int(last.rawValue)])
    }

    private static let recallingClamps: Statement = """
        SELECT sent, given, seq FROM sync.clamp
        WHERE space_id = $1 AND app = $2 AND device = $3 AND sent BETWEEN $4 AND $5
        """

    /// The largest number of replaced stamps that are stored for a space, about a megabyte. They are needed when a
    /// device sends changes again, which mostly happens soon. The limit is enough for two pushes of the largest allowed
    /// number of changes, and for the changes that a few devices with a wrong clock send after weeks without a network.
    package static let clampsMax = 10_000

    /// Deletes as many replaced stamps of the space as necessary to store `count` more: first the oldest of the same
    /// device, then the oldest of other devices. Runs in a transaction.
    package func makingRoom(forClamps count: Int, of device: ID, in space: ID) -> [Command] {
        let room = max(0, Spaces.clampsMax - count)
        // A nested loop took 36 s for 5,000 of 10,000.
        return Command.withoutNestedLoops([
            Command(Spaces.makingRoom, [.id(space), .text(app), .id(device), .int(Int64(room))])
        ])
    }

    // LIMIT 0 reads nothing (`recompute_limits` in nodeLimit.c), so mostly only the count is read.
    private static let makingRoom: Statement = """
        WITH hit AS (
            SELECT device, sent FROM sync.clamp WHERE space_id = $1 AND app = $2
            ORDER BY device = $3 DESC, given
            LIMIT (SELECT greatest(count(*) - $4, 0) FROM sync.clamp WHERE space_id = $1 AND app = $2)
        )
        DELETE FROM sync.clamp AS c USING hit
        WHERE c.space_id = $1 AND c.app = $2 AND c.device = hit.device AND c.sent = hit.sent
        """

    /// Stores the stamps that replace those that were too far ahead.
    ///
    /// - Parameters:
    ///   - sent: the stamps as the device sent them.
    ///   - given: the stamps that replace them, in the same order.
    ///   - seq: the head of the space when the push with the stamps begins.
    package func clamping(_ sent: [Int64], to given: [Int64], from seq: Int64, device: ID, in space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.clamp (space_id, app, device, sent, given, seq)
            SELECT $1, $2, $3, sent, given, $6::bigint FROM unnest($4::bigint[], $5::bigint[]) AS wanted (sent, given)
            """, [.id(space), .text(app), .id(device), .ints(sent), .ints(given), .int(seq)])
    }
}
