import PlantedBugs
package import Postgres
package import WireFormats

/// The statements on `sync.space`: the counter and the lock of each space.
package struct Spaces: Sendable {
    package let app: String
    /// The number of the app's migrations that this server knows: it leaves spaces alone that belong to a higher level.
    package let level: Int
    /// The number of them that a server must know to serve what this one writes: a space belongs to the highest that
    /// has pushed into it.
    private let claimedLevel: Int

    /// - Parameter claimed: `level`, where it is not given.
    package init(app: String, level: Int = 0, claiming claimed: Int? = nil) {
        (self.app, self.level, claimedLevel) = (app, level, min(claimed ?? level, level))
    }

    /// Whether a server that knows more has pushed into the space: what it wrote this one can neither keep nor read.
    package func isOutdated(for state: SpaceState) -> Bool { level > 0 && state.level > level }

    /// Whether nothing of the space is left, or will be soon.
    package func isErased(_ state: SpaceState) -> Bool { state.level == Erasures.level }

    /// What a transaction that concerns one space begins with: row-level security lets it see that space only.
    package static func entering(_ space: ID) -> Command {
        Command(entering, [.text(space.description)])
    }

    private static let entering: Statement = "SELECT set_config('sync.space', $1, true)"

    /// The same for a transaction that waits no longer than so for a lock.
    package static func entering(_ space: ID, lockTimeout: Duration) -> Command {
        Command(enteringBriefly, [.text(space.description), .text("\(lockTimeout.wholeMilliseconds)ms")])
    }

    private static let enteringBriefly: Statement = """
        SELECT set_config('sync.space', $1, true), set_config('lock_timeout', $2, true)
        """

    /// The same for a transaction that reads pages: its statements go through an index in its order whatever the values
    /// are, so each is planned once. By itself PostgreSQL would plan most again each time, because with the values it
    /// expects fewer rows (`choose_custom_plan` in plancache.c).
    package static func enteringToRead(_ space: ID) -> Command {
        Command(enteringToRead, [.text(space.description)])
    }

    private static let enteringToRead: Statement = """
        SELECT set_config('sync.space', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)
        """

    /// What recognizes a database that was restored from a backup, and gives it another epoch; and that PostgreSQL was
    /// started, which begins another era.
    package static let recognizing = Command("SELECT sync.recognize()")

    /// What a session that serves begins with: it recognizes the database, finds nothing by name but what PostgreSQL
    /// brings, and says how many migrations of each line its server knows, for triggers that fill what an older one
    /// does not.
    ///
    /// - Parameter lines: their names, and how many migrations of each the server knows.
    package static func opening(for lines: [(name: String, level: Int)]) -> Command {
        Command(
            """
            SELECT (SELECT sync.recognize()), set_config('search_path', 'pg_catalog, pg_temp', false),
                set_config('sync.level_' || line, level::text, false)
            FROM unnest($1::text[], $2::bigint[]) AS known (line, level)
            """, [.texts(lines.map(\.name)), .ints(lines.map { Int64($0.level) })])
    }

    /// The same for a session that only reads a standby, which nobody can write into.
    package static let openingToRead: Command = "SELECT set_config('search_path', 'pg_catalog, pg_temp', false)"

    /// Takes the next `count` numbers, and locks the space until the transaction ends. Returns `(head before, epoch,
    /// horizon, level, era, ended eras, record size, whether there may be clamped stamps, head now, whether there may
    /// be judged changes)`, what the space held before, and the count of rights. No row: no such space yet.
    ///
    /// A push will need so many if all that it says is news, and then its lock and its numbers were one statement;
    /// otherwise it ends with `advancing` to where it came.
    ///
    /// - Parameter created: how many records there will be more, if all that it says is news.
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

    /// SQL for what else an update of `space` sets, joined with `server`, that gives it numbers: it is in the era that
    /// is now, and how far it came in the one before is noted. A device that has been away for more than 64 eras in
    /// which there were pushes reads all again, as if they had been lost.
    package static let enteringEra = """
        era = server.era, ended_eras = CASE
            WHEN space.era IS NULL OR space.era = server.era THEN space.ended_eras
            ELSE (ARRAY[space.era, space.head] || space.ended_eras)[:128]
        END
        """

    /// Makes the space if it is not there.
    package func creating(_ space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.space (space_id, app, record_size, records, bytes, counted_head)
            VALUES ($1, $2, 0, 0, 0, 0) ON CONFLICT DO NOTHING
            """, [.id(space), .text(app)])
    }

    /// Reads `(head, epoch, horizon, level, era, ended eras, record size, rights)`; all but the epoch are NULL where
    /// there is no such space yet.
    package func readingHead(_ space: ID) -> Command {
        Command(Spaces.readingHead, [.id(space), .text(app)])
    }

    /// Outside of any space: reads which state of the database cursors are for.
    package static let readingEpoch: Command = "SELECT epoch FROM sync.server"

    private static let readingHead: Statement = """
        SELECT s.head, e.epoch, s.horizon, s.level, s.era, s.ended_eras, s.record_size, s.rights
        FROM sync.server AS e LEFT JOIN sync.space AS s ON s.space_id = $1 AND s.app = $2
        """

    /// Reads `(head, epoch, horizon, level, era, ended eras, rights)` of each space, in their order and outside any of
    /// them; see `readingHead`.
    package func readingHeads(_ spaces: [ID]) -> Command {
        Command(Spaces.readingHeads, [.text(app), .ids(spaces)])
    }

    private static let readingHeads: Statement = """
        SELECT head, epoch, horizon, level, era, ended_eras, rights FROM sync.space_states($1, $2)
        """

    /// - Parameters:
    ///   - recordSize: bytes that no record has more of; where the space has not been measured, that stays so.
    ///   - growth: what the space holds more than `claiming` has noted.
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

    /// SQL for what follows from the size that no record of the space `$1` exceeds, see `SpaceState.recordSizeBytes`.
    ///
    /// All of it is in the sub-select: arithmetic may fail, and what may fail is not compared in an index before the
    /// wall between spaces has spoken (manual, section 41.5, on leakproof functions). As a filter it would read the
    /// space to its end for each page.
    static func fromRecordSize(app: String, _ expression: (String) -> String) -> String {
        let size = "coalesce(max(record_size), \(SpaceState.unmeasured))"
        return "(SELECT \(expression(size)) FROM sync.space WHERE space_id = $1 AND app = \(quotedLiteral(app)))"
    }

    /// A stamp too far ahead that a device sent, and the one that stands for it.
    package struct Clamp: Sendable {
        package let sent: Stamp
        package let given: Stamp
        /// The number of the space that the push began with which brought it; `nil` where that is not known.
        package let seq: Int64?

        /// - Parameter rows: what `recallingClamps` returned.
        package static func all(_ rows: Rows) -> [Clamp] {
            (0..<rows.count).map {
                Clamp(
                    sent: Stamp(stored: rows.int($0, 0)), given: Stamp(stored: rows.int($0, 1)),
                    seq: rows.isNull($0, 2) ? nil : rows.int($0, 2))
            }
        }
    }

    /// Finds what was remembered for a device's stamps from `first` through `last`. Returns `Clamp`s.
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

    /// The most clamped stamps that are remembered of a space, about a megabyte. It is the retry that needs them, which
    /// mostly follows at once: two pushes of as many changes as there may be fit, and so does what a few devices with a
    /// wrong clock send after weeks without a network.
    package static let clampsMax = 10_000

    /// Forgets so many clamped stamps that there is room for `count` more: the device's own oldest, then the space's.
    /// In a transaction.
    package func makingRoom(forClamps count: Int, of device: ID, in space: ID) -> [Command] {
        let room = max(0, Spaces.clampsMax - count)
        // A nested loop took 36 s for 5,000 of 10,000.
        return Command.withoutNestedLoops([
            Command(Spaces.makingRoom, [.id(space), .text(app), .id(device), .int(Int64(room))])
        ])
    }

    // LIMIT 0 reads nothing (`recompute_limits` in nodeLimit.c), so that mostly it is the count alone.
    private static let makingRoom: Statement = """
        WITH hit AS (
            SELECT device, sent FROM sync.clamp WHERE space_id = $1 AND app = $2
            ORDER BY device = $3 DESC, given
            LIMIT (SELECT greatest(count(*) - $4, 0) FROM sync.clamp WHERE space_id = $1 AND app = $2)
        )
        DELETE FROM sync.clamp AS c USING hit
        WHERE c.space_id = $1 AND c.app = $2 AND c.device = hit.device AND c.sent = hit.sent
        """

    /// Remembers what stands for stamps too far ahead.
    ///
    /// - Parameter seq: the number that the push begins with which brought them.
    package func clamping(_ sent: [Int64], to given: [Int64], from seq: Int64, device: ID, in space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.clamp (space_id, app, device, sent, given, seq)
            SELECT $1, $2, $3, sent, given, $6::bigint FROM unnest($4::bigint[], $5::bigint[]) AS wanted (sent, given)
            """, [.id(space), .text(app), .id(device), .ints(sent), .ints(given), .int(seq)])
    }
}
