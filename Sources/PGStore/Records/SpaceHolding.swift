package import Postgres
package import WireFormats

/// The size of a space (the number of its living records and the bytes of their values), and the limits for it.
package struct SpaceHolding: Sendable, Hashable {
    /// The number of living (not deleted) records; `nil` if they have not been counted.
    package let records: Int64?
    /// The bytes of the living records' values, with an error of at most some tens of kilobytes; `nil` if they have not
    /// been counted.
    package let bytes: Int64?
    /// True if every push since the records were counted has kept `records` and `bytes` up to date.
    package let isExact: Bool
    /// The limit of records that an operator set for this space alone; `nil` if the servers' limit for all spaces
    /// applies.
    package let recordsMax: Int64?
    package let bytesMax: Int64?

    /// - Parameters:
    ///   - rows: rows that contain the columns `SpaceHolding.columns`, one after another.
    ///   - first: the index of the first of these columns.
    init(_ rows: Rows, _ row: Int = 0, first: Int) {
        records = rows.intIfPresent(row, first)
        bytes = rows.intIfPresent(row, first + 1)
        recordsMax = rows.intIfPresent(row, first + 2)
        bytesMax = rows.intIfPresent(row, first + 3)
        isExact = rows.bool(row, first + 4)
    }

    /// SQL for the columns from which a `SpaceHolding` is made, in a query that names `sync.space` as `space`.
    static let columns = """
        space.records, space.bytes, space.records_max, space.bytes_max,
        coalesce(space.counted_head = space.head, false)
        """
}

/// The statements on the sizes of spaces.
extension Spaces {
    /// The change of a space's size by a push.
    package struct Growth: Sendable, Hashable {
        package var records: Int64 = 0
        package var bytes: Int64 = 0
        /// False if the push created or deleted records of unknown size, so that `records` and `bytes` are not exact.
        package var isExact = true

        package init() {}
    }

    /// Reads the size of a space and its limits, as a `SpaceHolding`. The command returns no row if there is no such
    /// space.
    package func readingHolding(_ space: ID) -> Command {
        Command(
            Statement(
                unchecked: "SELECT \(SpaceHolding.columns) FROM sync.space AS space WHERE space_id = $1 AND app = $2"),
            [.id(space), .text(app)])
    }

    /// Sets the limits of a space; with `nil`, the servers' limit for all spaces applies. The command returns a row if
    /// the space exists.
    package func allowing(_ space: ID, records: Int64?, bytes: Int64?) -> Command {
        Command(
            """
            UPDATE sync.space SET records_max = $3, bytes_max = $4 WHERE space_id = $1 AND app = $2 RETURNING 1
            """, [.id(space), .text(app), .int(records), .int(bytes)])
    }

    /// Stores the counted size of a space. The transaction must have locked the space.
    package func counted(_ space: ID, records: Int64, bytes: Int64) -> Command {
        Command(
            """
            UPDATE sync.space SET records = $3, bytes = $4, counted_head = head WHERE space_id = $1 AND app = $2
            """, [.id(space), .text(app), .int(records), .int(bytes)])
    }
}

extension SpaceHolding {
    /// Parses the row that the command `Spaces.readingHolding` returned; `nil` if it returned none, because there is no
    /// such space.
    package init?(_ rows: Rows) {
        guard rows.count > 0 else { return nil }
        self.init(rows, first: 0)
    }
}
