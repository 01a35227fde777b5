import PlantedBugs
package import Postgres
package import WireFormats

/// The statements on `sync.space`, which has a row for each space. The row contains the space's head (its highest
/// sequence number), and transactions lock it to lock the space.
package struct Spaces: Sendable {
    package let app: String
    /// The count of the app's migrations that this server knows. The server neither reads nor writes spaces into which
    /// a server with a higher count has pushed.
    package let level: Int
    /// The count of migrations that a server must know in order to work with what this server writes. A push stores it
    /// in the space's row, unless the row has a higher one.
    private let claimedLevel: Int

    /// Composes the statements for one app.
    ///
    /// - Parameter claimed: the count of migrations that a push stores in the space's row; `nil` means `level`.
    package init(app: String, level: Int = 0, claiming claimed: Int? = nil) {
        (self.app, self.level, claimedLevel) = (app, level, min(claimed ?? level, level))
    }

    /// True if a server that knows more migrations has pushed into the space: this server can neither preserve nor read
    /// the columns that the other wrote.
    package func isOutdated(for state: SpaceState) -> Bool { level > 0 && state.level > level }

    /// True if the space is erased, or is being erased.
    package func isErased(_ state: SpaceState) -> Bool { state.level == Erasures.level }

    /// The first command of a transaction on one space: row-level security then shows it that space only.
    package static func entering(_ space: ID) -> Command {
        Command(entering, [.text(space.description)])
    }

    private static let entering: Statement = "SELECT set_config('sync.space', $1, true)"

    /// As `entering`, for a transaction that waits at most `lockTimeout` for a lock.
    package static func entering(_ space: ID, lockTimeout: Duration) -> Command {
        Command(enteringBriefly, [.text(space.description), .text("\(lockTimeout.wholeMilliseconds)ms")])
    }

    private static let enteringBriefly: Statement = """
        SELECT set_config('sync.space', $1, true), set_config('lock_timeout', $2, true)
        """

    /// As `entering`, for a transaction that reads pages. Its statements read an index in its order whatever the values
    /// are, so each is planned once. By default PostgreSQL would plan most of them again each time, because with the
    /// values it expects fewer rows (`choose_custom_plan` in plancache.c).
    package static func enteringToRead(_ space: ID) -> Command {
        Command(enteringToRead, [.text(space.description)])
    }

    private static let enteringToRead: Statement = """
        SELECT set_config('sync.space', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)
        """

    /// Checks, in the database, if it was restored from a backup, and if PostgreSQL was started again. A restored
    /// database gets another epoch, and a start of PostgreSQL begins another era.
    package static let recognizing = Command("SELECT sync.recognize()")

    /// The first command of a session that serves requests. It does the same as `recognizing`, and limits the search
    /// path to PostgreSQL's own schemas. It also stores in the session how many migrations this server knows, for
    /// triggers that fill the columns which an older server does not write.
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

    /// The first command of a session that only reads a standby, into which nobody can write.
    package static let openingToRead: Command = "SELECT set_config('search_path', 'pg_catalog, pg_temp', false)"

    /// Takes the next `count` sequence numbers, and locks the space until the transaction ends. `SpaceClaim` parses the
    /// row that it returns: `(head before, epoch, horizon, level, era, ended eras, record size, whether there may be
    /// clamped stamps, head now, whether there may be judged changes)`, the space's size before, and the count of
    /// revocations. No row if there is no such space yet.
    ///
    /// A push needs all these numbers if every change gets one. Then one statement both locks the space and takes the
    /// numbers. Otherwise the push ends with `advancing`, which sets the head to the number that it reached.
    ///
    /// - Parameter created: the count of records that are added, if all records that the push creates are new.
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

    /// SQL for the era columns in an update of `space`, joined with `server`, that takes sequence numbers. If
    /// PostgreSQL was started since the space's latest push, the update stores the space's head for the era that ended,
    /// and sets the current era. Only 64 ended eras are stored: a device whose cursor is of an older one reads
    /// everything again.
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

    /// Reads the database's epoch, for which cursors are valid. Runs outside of any space.
    package static let readingEpoch: Command = "SELECT epoch FROM sync.server"

    private static let readingHead: Statement = """
        SELECT s.head, e.epoch, s.horizon, s.level, s.era, s.ended_eras, s.record_size, s.rights
        FROM sync.server AS e LEFT JOIN sync.space AS s ON s.space_id = $1 AND s.app = $2
        """

    /// Reads `(head, epoch, horizon, level, era, ended eras, rights)` of each space, in the order of the spaces and
    /// outside of any of them; see `readingHead`.
    package func readingHeads(_ spaces: [ID]) -> Command {
        Command(Spaces.readingHeads, [.text(app), .ids(spaces)])
    }

    private static let readingHeads: Statement = """
        SELECT head, epoch, horizon, level, era, ended_eras, rights FROM sync.space_states($1, $2)
        """

    /// Sets the head of a space at the end of a push.
    ///
    /// - Parameters:
    ///   - recordSize: bytes that no record exceeds; a space that has not been measured stays so.
    ///   - growth: the growth of the space beyond that which `claiming` has stored.
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

    /// SQL for an expression with the size that no record of the space `$1` exceeds, see `SpaceState.recordSizeBytes`.
    ///
    /// All of the expression is in the sub-select: arithmetic may fail, and PostgreSQL does not compare what may fail
    /// in an index before row-level security is checked (manual, section 41.5, on leakproof functions). If the
    /// expression were a filter, each page would read the space to its end.
    static func fromRecordSize(app: String, _ expression: (String) -> String) -> String {
        let size = "coalesce(max(record_size), \(SpaceState.unmeasured))"
        return "(SELECT \(expression(size)) FROM sync.space WHERE space_id = $1 AND app = \(quotedLiteral(app)))"
    }

    /// A clamp: a stamp too far ahead that a device sent, and the stamp that replaces it.
    package struct Clamp: Sendable {
        package let sent: Stamp
        package let given: Stamp
        /// The head of the space when the push with the stamp began; `nil` if it is not known.
        package let seq: Int64?

        /// - Parameter rows: the result of `recallingClamps`.
        package static func all(_ rows: Rows) -> [Clamp] {
            (0..<rows.count).map {
                Clamp(
                    sent: Stamp(stored: rows.int($0, 0)), given: Stamp(stored: rows.int($0, 1)),
                    seq: rows.isNull($0, 2) ? nil : rows.int($0, 2))
            }
        }
    }

    /// Finds the clamps of a device's stamps from `first` through `last`. Returns `Clamp`s.
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

    /// The most clamped stamps that are remembered of a space, about a megabyte. They are needed for retries, which
    /// mostly follow at once: the limit is enough for two pushes of as many changes as there may be, and for the
    /// changes that a few devices with a wrong clock send after weeks without a network.
    package static let clampsMax = 10_000

    /// Deletes as many clamps as necessary to make room for `count` more: first the oldest of the same device, then the
    /// oldest of the space. Runs in a transaction.
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

    /// Stores the stamps that replace stamps too far ahead.
    ///
    /// - Parameter seq: the head of the space when the push with the stamps begins.
    package func clamping(_ sent: [Int64], to given: [Int64], from seq: Int64, device: ID, in space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.clamp (space_id, app, device, sent, given, seq)
            SELECT $1, $2, $3, sent, given, $6::bigint FROM unnest($4::bigint[], $5::bigint[]) AS wanted (sent, given)
            """, [.id(space), .text(app), .id(device), .ints(sent), .ints(given), .int(seq)])
    }
}
