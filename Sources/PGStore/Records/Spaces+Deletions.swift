package import Postgres
package import WireFormats

/// The statements on `sync.deletion`: the count of records that each device has recently deleted in a space.
extension Spaces {
    /// The most devices of a space whose deletions are remembered; beyond that, the devices with the oldest deletions
    /// are forgotten.
    package static let deletingMax = 64

    /// The number of records that a device has deleted, and when.
    package struct Deleted: Sendable {
        package let count: Int
        /// The time of the latest deletion, or the time since which the count decreases.
        package let at: Stamp

        package init(count: Int, at: Stamp) {
            (self.count, self.at) = (count, at)
        }

        /// - Parameter rows: the result of `recallingDeleted`; the value is `nil` if there is no row.
        package init?(_ rows: Rows) {
            guard rows.count > 0 else { return nil }
            // No space has this many records.
            (count, at) = (Int(max(0, min(rows.int(0, 0), 1 << 40))), Stamp(stored: rows.int(0, 1)))
        }
    }

    /// Reads the `Deleted` of one device; no row if none is stored.
    package func recallingDeleted(by device: ID, in space: ID) -> Command {
        Command(
            "SELECT count, at FROM sync.deletion WHERE space_id = $1 AND app = $2 AND device = $3",
            [.id(space), .text(app), .id(device)])
    }

    /// Stores the count, and forgets other devices' deletions from before `time`. In a transaction that has the space's
    /// lock.
    package func remembering(_ deleted: Deleted, by device: ID, forgettingBefore time: Stamp, in space: ID) -> [Command]
    {
        [
            Command(
                """
                DELETE FROM sync.deletion WHERE space_id = $1 AND app = $2 AND device <> $3 AND (at < $4 OR device IN (
                    SELECT other.device FROM sync.deletion AS other
                    WHERE other.space_id = $1 AND other.app = $2 AND other.device <> $3
                    ORDER BY other.at DESC OFFSET $5))
                """,
                [
                    .id(space), .text(app), .id(device), .int(time.rawValue), .int(Int64(Spaces.deletingMax - 1)),
                ]),
            Command(
                """
                INSERT INTO sync.deletion (space_id, app, device, count, at) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (space_id, app, device) DO UPDATE SET count = excluded.count, at = excluded.at
                """,
                [.id(space), .text(app), .id(device), .int(Int64(deleted.count)), .int(deleted.at.rawValue)]),
        ]
    }
}
