package import Postgres
package import WireFormats

/// The statements on `sync.deletion`, which has the number of records that each device has recently deleted in a space.
extension Spaces {
    /// The largest number of devices for which a space stores the number of recent deletions. If there are more
    /// devices, those whose latest deletion is the oldest are removed.
    package static let deletingMax = 64

    /// The number of records that a device has recently deleted in a space. The number decreases with time.
    package struct Deleted: Sendable {
        package let count: Int
        /// The time from which `count` decreases. For a device's first deletion, it is the time of the deletion.
        package let at: Stamp

        package init(count: Int, at: Stamp) {
            (self.count, self.at) = (count, at)
        }

        /// Parses the row that the command `recallingDeleted` returned; `nil` if it returned none.
        package init?(_ rows: Rows) {
            guard rows.count > 0 else { return nil }
            // No space has this many records.
            (count, at) = (Int(max(0, min(rows.int(0, 0), 1 << 40))), Stamp(stored: rows.int(0, 1)))
        }
    }

    /// Reads the stored number of records that a device has recently deleted. The command returns no row if none is
    /// stored.
    package func recallingDeleted(by device: ID, in space: ID) -> Command {
        Command(
            "SELECT count, at FROM sync.deletion WHERE space_id = $1 AND app = $2 AND device = $3",
            [.id(space), .text(app), .id(device)])
    }

    /// Stores the number of records that a device has deleted, and removes the numbers of other devices whose latest
    /// deletion was before `time`. Runs in a transaction that has locked the space.
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
