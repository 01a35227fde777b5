package import Postgres
package import WireFormats

/// The statements by which the collector of tombstones (rows of deleted records) reads and stores its progress in a
/// space.
extension Spaces {
    /// The progress of the tombstone collector in one space.
    package struct Collected: Sendable {
        package let head: Int64
        /// The sequence number up to which all tombstones have been removed, except those that are still needed to
        /// restore a record.
        package let swept: Int64
        /// The sequence number up to which every deleted record has been cleared: its values are removed, and its
        /// tombstone stays.
        package let cleared: Int64
        /// True if the size of the space's largest record is known.
        package let isMeasured: Bool
        /// True if the number of the space's records is known.
        package let isCounted: Bool

        /// Parses the row that the command `lockingToCollect` or `readingCollected` returned; `nil` if it returned
        /// none, because there is no such space.
        package init?(_ rows: Rows) {
            guard rows.count > 0 else { return nil }
            (head, swept, cleared) = (rows.int(0, 0), rows.int(0, 1), rows.int(0, 2))
            isMeasured = !rows.isNull(0, 3)
            isCounted = rows.bool(0, 4)
        }
    }

    /// A time, and the head (the latest sequence number) that the space had then. The tombstone collector uses it to
    /// find the sequence numbers that are older than a given time.
    package struct Mark: Sendable {
        package let at: Timestamp
        package let head: Int64

        /// Parses the result of the command `latestMark`; `nil` if the result has no row.
        package init?(_ rows: Rows) {
            guard rows.count > 0 else { return nil }
            (at, head) = (rows.timestamp(0, 0), rows.int(0, 1))
        }
    }

    /// Reads `Collected` (the collector's progress in the space), and locks the space until the transaction ends. The
    /// command returns no row if there is no such space, or if this database does not serve it.
    package func lockingToCollect(_ space: ID) -> Command {
        Command(Spaces.lockingToCollect, [.id(space), .text(app)])
    }

    private static let lockingToCollect = Statement(
        unchecked: """
            SELECT head, swept, cleared, record_size,
                coalesce(counted_head = head AND records >= 0 AND bytes >= 0, false)
            FROM sync.space
            WHERE space_id = $1 AND app = $2
                AND EXISTS (SELECT FROM sync.server AS server WHERE \(isHere("server")))
            FOR UPDATE
            """)

    /// Stores an upper bound for the size in bytes of each of the space's records.
    package func measured(_ space: ID, recordSize: Int64) -> Command {
        Command(
            "UPDATE sync.space SET record_size = $3 WHERE space_id = $1 AND app = $2",
            [.id(space), .text(app), .int(recordSize)])
    }

    /// Reads the collector's progress in the space as `lockingToCollect` does, but without locking the space.
    package func readingCollected(_ space: ID) -> Command {
        Command(
            "SELECT head, swept, cleared, record_size, true FROM sync.space WHERE space_id = $1 AND app = $2",
            [.id(space), .text(app)])
    }

    /// Reads the latest mark that was stored at `time` or before: a time, and the space's latest sequence number at
    /// that time.
    package func latestMark(_ space: ID, through time: Timestamp) -> Command {
        Command(
            """
            SELECT at, head FROM sync.mark
            WHERE space_id = $1 AND app = $2 AND at <= $3
            ORDER BY at DESC LIMIT 1
            """, [.id(space), .text(app), .timestamp(time)])
    }

    /// Reads the latest `Mark`: a time, and the head (the latest sequence number) that the space had then.
    package func latestMark(_ space: ID) -> Command {
        Command(
            "SELECT at, head FROM sync.mark WHERE space_id = $1 AND app = $2 ORDER BY at DESC LIMIT 1",
            [.id(space), .text(app)])
    }

    /// Stores a mark for the collector: a time, and the space's head (its latest sequence number) at that time.
    package func marking(_ space: ID, head: Int64, at time: Timestamp) -> Command {
        Command(
            "INSERT INTO sync.mark (space_id, app, at, head) VALUES ($1, $2, $3, $4)",
            [.id(space), .text(app), .timestamp(time), .int(head)])
    }

    /// Deletes the marks (pairs of a time and a sequence number) whose times are before `time`.
    package func forgettingMarks(_ space: ID, before time: Timestamp) -> Command {
        Command(
            "DELETE FROM sync.mark WHERE space_id = $1 AND app = $2 AND at < $3",
            [.id(space), .text(app), .timestamp(time)])
    }

    /// Stores the progress in removing tombstones (the rows of deleted records).
    ///
    /// - Parameters:
    ///   - horizon: the highest sequence number of a removed tombstone. It is stored if it is higher than the stored
    ///     one.
    ///   - swept: the sequence number up to which all tombstones have been removed, except those that are still needed
    ///     to restore a record.
    package func sweeping(_ space: ID, horizon: Int64, swept: Int64) -> Command {
        Command(
            """
            UPDATE sync.space SET horizon = greatest(horizon, $3), swept = $4
            WHERE space_id = $1 AND app = $2
            """, [.id(space), .text(app), .int(horizon), .int(swept)])
    }

    /// Stores `last`, the sequence number up to which the values of every deleted record have been removed.
    package func cleared(_ space: ID, through last: Int64) -> Command {
        Command(
            "UPDATE sync.space SET cleared = $3 WHERE space_id = $1 AND app = $2",
            [.id(space), .text(app), .int(last)])
    }

    /// Deletes old rows of the space, at most `limit` of each of two kinds: clamped stamps from before `time`, and
    /// counter increments that were applied before `time`. Clamped stamps replace stamps that were too far ahead of the
    /// server's clock. Runs in a transaction.
    ///
    /// - Returns: the commands to execute. The first and the last only change settings. Each of the two between them
    ///   returns the number of deleted rows.
    package func forgetting(_ space: ID, before time: Stamp, limit: Int) -> [Command] {
        let parameters: [Parameter] = [.id(space), .text(app), .int(time.rawValue), .int(Int64(limit))]
        return Command.withoutNestedLoops([
            Command(
                """
                WITH hit AS (
                    SELECT device, sent FROM sync.clamp WHERE space_id = $1 AND app = $2 AND given < $3 LIMIT $4
                ), gone AS (
                    DELETE FROM sync.clamp AS c USING hit
                    WHERE c.space_id = $1 AND c.app = $2 AND c.device = hit.device AND c.sent = hit.sent
                    RETURNING 1
                )
                SELECT count(*) FROM gone
                """, parameters),
            Command(
                """
                WITH hit AS (
                    SELECT id, device, stamp, entity, attribute FROM sync.increment
                    WHERE space_id = $1 AND app = $2 AND applied < $3 LIMIT $4
                ), gone AS (
                    DELETE FROM sync.increment AS i USING hit
                    WHERE i.space_id = $1 AND i.app = $2 AND i.id = hit.id AND i.device = hit.device
                        AND i.stamp = hit.stamp AND i.entity = hit.entity AND i.attribute = hit.attribute
                    RETURNING 1
                )
                SELECT count(*) FROM gone
                """, parameters),
        ])
    }

    /// Counts the clamped stamps (replacements of stamps that were too far ahead of the server's clock) that are before
    /// `stamp`.
    package func countingClamps(_ space: ID, before stamp: Stamp) -> Command {
        Command(
            "SELECT count(*) FROM sync.clamp WHERE space_id = $1 AND app = $2 AND given < $3",
            [.id(space), .text(app), .int(stamp.rawValue)])
    }

    /// Lists the next `limit` of the app's spaces after `space`, in the order of their ids.
    package func listing(after space: ID, limit: Int) -> Command {
        Command(
            "SELECT space FROM sync.directory WHERE app = $1 AND space > $2 ORDER BY space LIMIT $3",
            [.text(app), .id(space), .int(Int64(limit))])
    }
}
