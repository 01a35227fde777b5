import PlantedBugs
package import Postgres
package import WireFormats

/// The statements on `sync.space`, which has a row for each space. The row contains the space's head (its latest
/// sequence number). Transactions lock the row to lock the space.
package struct Spaces: Sendable {
    package let app: String
    /// The number of the app's migrations that this server knows. The server does not use spaces into which a server
    /// that knows more migrations has pushed.
    package let level: Int
    /// The level that a push stores in the space's row, unless the row has a higher one. It is the number of the app's
    /// migrations that a server must know to use the space after the push.
    private let claimedLevel: Int

    /// Composes the statements for one app.
    ///
    /// - Parameters:
    ///   - level: the number of the app's migrations that this server knows. The server does not use spaces that
    ///     require more migrations. With 0, it uses all spaces.
    ///   - claimed: the number of migrations that a server must know to use a space after this server has pushed into
    ///     it; `nil` for the same as `level`.
    package init(app: String, level: Int = 0, claiming claimed: Int? = nil) {
        (self.app, self.level, claimedLevel) = (app, level, min(claimed ?? level, level))
    }

    /// Returns true if a server that knows more migrations than this one has pushed into the space. This server must
    /// then not use the space, because it can neither read nor preserve values in columns that it does not know.
    package func isOutdated(for state: SpaceState) -> Bool { level > 0 && state.level > level }

    /// Returns true if the space is erased, or is being erased.
    package func isErased(_ state: SpaceState) -> Bool { state.level == Erasures.level }

    /// Enters a space, as the first command of a transaction on one space. From then on, row-level security shows the
    /// transaction only this space.
    package static func entering(_ space: ID) -> Command {
        Command(entering, [.text(space.description)])
    }

    private static let entering: Statement = "SELECT set_config('sync.space', $1, true)"

    /// Enters a space for a transaction that waits at most `lockTimeout` for each lock. From then on, row-level
    /// security shows the transaction only this space.
    package static func entering(_ space: ID, lockTimeout: Duration) -> Command {
        Command(enteringBriefly, [.text(space.description), .text("\(lockTimeout.wholeMilliseconds)ms")])
    }

    private static let enteringBriefly: Statement = """
        SELECT set_config('sync.space', $1, true), set_config('lock_timeout', $2, true)
        """

    /// Enters a space for a transaction that reads pages. From then on, row-level security shows the transaction only
    /// this space.
    ///
    /// PostgreSQL plans each statement of the transaction only once, without knowing the parameters' values. Such a
    /// plan suits all values, because the statements read an index in its order. By default, PostgreSQL would plan most
    /// of the statements each time: it expects fewer rows when it knows the values, so these plans seem cheaper
    /// (`choose_custom_plan` in plancache.c).
    package static func enteringToRead(_ space: ID) -> Command {
        Command(enteringToRead, [.text(space.description)])
    }

    private static let enteringToRead: Statement = """
        SELECT set_config('sync.space', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)
        """

    /// Lets the database check if it was restored from a backup, and if PostgreSQL was started again. After a
    /// restoration it gets a new epoch, and after a start a new era.
    package static let recognizing = Command("SELECT sync.recognize()")

    /// Prepares a session that serves requests. This must be the session's first command.
    ///
    /// The command lets the database detect a restored backup or a restart, as `recognizing` does. It limits the search
    /// path to PostgreSQL's own schemas. It also stores in the session how many migrations this server knows. Triggers
    /// read these numbers to fill columns that an older server does not write.
    ///
    /// - Parameter lines: the migration lines (the server's own, and one for each app), each with the number of its
    ///   migrations that this server knows.
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

    /// Takes the next `count` sequence numbers of a space for a push, and locks the space until the transaction ends.
    /// The command returns one row, which `SpaceClaim` parses, or no row if there is no such space yet.
    ///
    /// The space's head (its latest sequence number) grows by `count`. If the push uses fewer numbers, it ends with the
    /// command `advancing`, which sets the head to the last number that was used.
    ///
    /// - Parameter created: the number of records that the push creates, assuming that none of them exists yet. The
    ///   space's number of records grows by it.
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
            RETURNING space.head - $3, coalesce(space.epoch, server.epoch), space.horizon, space.level, space.era,
                space.ended_eras, space.rights, \(isHere("server")), space.record_size, space.clamped, space.head,
                space.judged, space.records - $5, space.bytes, space.records_max, space.bytes_max,
                space.counted_head IS NOT NULL
            """)
    private static let peeking = Statement(
        unchecked: """
            SELECT s.head, coalesce(s.epoch, e.epoch), s.horizon, s.level, s.era, s.ended_eras, s.rights,
                \(isHere("e")), s.record_size, s.clamped, s.head, s.judged, s.records, s.bytes, s.records_max,
                s.bytes_max, false
            FROM sync.space AS s, sync.server AS e
            WHERE s.space_id = $1 AND s.app = $2
            """)

    /// Returns SQL for a condition: this database serves the space `$1`. The statement reads `sync.server` as `server`.
    ///
    /// A space that is moved to another database stops being served here by one committed update of `sync.server`. So
    /// the condition must be read with a snapshot of its own statement, in the transaction that uses the space.
    static func isHere(_ server: String) -> String {
        "(get_bit(\(server).buckets, uuid_hash($1) & \(Bucket.count - 1)) = 1) <> ($1 = ANY (\(server).exceptions))"
    }

    /// SQL assignments that keep the space's eras (the times between two starts of PostgreSQL) up to date. They are for
    /// an UPDATE of `space` that is joined with `server` and takes sequence numbers for a push.
    ///
    /// If PostgreSQL was started since the space's latest push, the update stores the ended era with the space's head,
    /// and sets the current era. Only the 64 latest ended eras are stored. A device with a cursor of an older era reads
    /// everything again.
    package static let enteringEra = """
        era = server.era, ended_eras = CASE
            WHEN space.era IS NULL OR space.era = server.era THEN space.ended_eras
            ELSE (ARRAY[space.era, space.head] || space.ended_eras)[:128]
        END
        """

    /// Makes a move of the space to another database wait for this transaction. A transaction that reads in one
    /// statement that this database serves the space, and writes in another, must execute this command first.
    package static let keepingHere: Command = "LOCK TABLE sync.space IN ROW EXCLUSIVE MODE"

    /// Creates the space if it does not exist, and if this database serves it.
    package func creating(_ space: ID) -> Command {
        Command(Spaces.creating, [.id(space), .text(app)])
    }

    private static let creating = Statement(
        unchecked: """
            INSERT INTO sync.space (space_id, app, record_size, records, bytes, counted_head)
            SELECT $1, $2, 0, 0, 0, 0 FROM sync.server AS server WHERE \(isHere("server")) ON CONFLICT DO NOTHING
            """)

    /// Reads the state of a space: `(head, epoch, horizon, level, era, ended eras, rights, is here, record size)`.
    /// `rights` is the number of times that rights in the space were revoked. All columns but `epoch` and `is here` are
    /// NULL if there is no such space yet.
    package func readingHead(_ space: ID) -> Command {
        Command(Spaces.readingHead, [.id(space), .text(app)])
    }

    /// Reads the database's epoch. Only cursors of this epoch are valid. Runs outside of any space.
    package static let readingEpoch: Command = "SELECT epoch FROM sync.server"

    private static let readingHead = Statement(
        unchecked: """
            SELECT s.head, coalesce(s.epoch, e.epoch), s.horizon, s.level, s.era, s.ended_eras, s.rights,
                \(isHere("e")), s.record_size
            FROM sync.server AS e LEFT JOIN sync.space AS s ON s.space_id = $1 AND s.app = $2
            """)

    /// Reads the states of several spaces, in the order of `spaces`: `(head, epoch, horizon, level, era, ended eras,
    /// rights, is here)`. `rights` is the number of times that rights in the space were revoked. All columns but
    /// `epoch` and `is here` are NULL for a space that does not exist. Runs outside of any space.
    package func readingHeads(_ spaces: [ID]) -> Command {
        Command(Spaces.readingHeads, [.text(app), .ids(spaces)])
    }

    private static let readingHeads: Statement = """
        SELECT head, epoch, horizon, level, era, ended_eras, rights, is_here FROM sync.read_states($1, $2)
        """

    /// Stores the result of a push in the space's row, at the push's end.
    ///
    /// - Parameters:
    ///   - head: the space's new head, the last sequence number that was used.
    ///   - recordSize: an upper bound for the size of the written records, in bytes. It replaces a lower stored bound.
    ///     If no bound is stored, nothing is stored, because the other records may be larger.
    ///   - growth: the change of the space's size. The records that the command `claiming` has already added are not
    ///     included.
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

    /// Returns SQL for an expression that contains the upper bound for the size of each record of the space `$1`.
    ///
    /// The expression is in a sub-select, because its arithmetic may fail. PostgreSQL evaluates a condition that may
    /// fail only after row-level security (manual, section 41.5, on leakproof functions). Without the sub-select, it
    /// could not use the condition in an index scan, and would read the space to its end.
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
        /// The head (the latest sequence number) of the space when the push that contained the stamp began; `nil` if it
        /// is not known.
        package let seq: Int64?

        /// Parses the replaced stamps that the command `recallingClamps` returned.
        package static func all(_ rows: Rows) -> [Clamp] {
            (0..<rows.count).map {
                Clamp(
                    sent: Stamp(stored: rows.int($0, 0)), given: Stamp(stored: rows.int($0, 1)),
                    seq: rows.isNull($0, 2) ? nil : rows.int($0, 2))
            }
        }
    }

    /// Finds the stamps from `first` through `last` that a device sent and that were replaced, because they were too
    /// far ahead of the server's clock. Returns a `Clamp` for each.
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

    /// The largest number of clamped stamps that are stored for a space, about a megabyte. Clamped stamps replace
    /// stamps that were too far ahead of the server's clock. They are needed if a device sends the same changes again,
    /// which it usually does soon.
    ///
    /// The limit is enough for two pushes of the largest allowed size. It is also enough for the changes that a few
    /// devices with a wrong clock send after weeks without a network.
    package static let clampsMax = 10_000

    /// Deletes as many clamped stamps of the space as necessary to store `count` more: first the oldest of the same
    /// device, then the oldest of other devices. Clamped stamps replace stamps that were too far ahead of the server's
    /// clock. Runs in a transaction.
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

    /// Stores clamped stamps, which replace stamps that were too far ahead of the server's clock.
    ///
    /// - Parameters:
    ///   - sent: the stamps as the device sent them.
    ///   - given: the clamped stamps, in the same order.
    ///   - seq: the head (the latest sequence number) of the space when the push with the stamps begins.
    package func clamping(_ sent: [Int64], to given: [Int64], from seq: Int64, device: ID, in space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.clamp (space_id, app, device, sent, given, seq)
            SELECT $1, $2, $3, sent, given, $6::bigint FROM unnest($4::bigint[], $5::bigint[]) AS wanted (sent, given)
            """, [.id(space), .text(app), .id(device), .ints(sent), .ints(given), .int(seq)])
    }
}
