package import Postgres
package import WireFormats

/// The size of a space (its living records, and the bytes of their values), and its limits.
package struct SpaceHolding: Sendable, Hashable {
    /// The count of living records; `nil` if they have not been counted.
    package let records: Int64?
    /// The bytes of the living records' values, exact to some tens of kilobytes; `nil` if they have not been counted.
    package let bytes: Int64?
    /// True if every push since the records were counted has updated `records` and `bytes`.
    package let isExact: Bool
    /// The limit of records that an operator set for this space alone; `nil` if the limit that the servers set for all
    /// spaces applies.
    package let recordsMax: Int64?
    package let bytesMax: Int64?

    /// - Parameters:
    ///   - rows: rows with `SpaceHolding.columns`, from the column `first` on.
    init(_ rows: Rows, _ row: Int = 0, first: Int) {
        records = rows.intIfPresent(row, first)
        bytes = rows.intIfPresent(row, first + 1)
        recordsMax = rows.intIfPresent(row, first + 2)
        bytesMax = rows.intIfPresent(row, first + 3)
        isExact = rows.bool(row, first + 4)
    }

    /// SQL for the columns that are read of `space`.
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
        /// False if records of unknown size were created or deleted.
        package var isExact = true

        package init() {}
    }

    /// Reads a `SpaceHolding`; no row if there is no such space.
    package func readingHolding(_ space: ID) -> Command {
        Command(
            Statement(
                unchecked: "SELECT \(SpaceHolding.columns) FROM sync.space AS space WHERE space_id = $1 AND app = $2"),
            [.id(space), .text(app)])
    }

    /// Sets the limits of a space; `nil` for the limits that its servers set for all spaces. Returns a row if the space
    /// exists.
    package func allowing(_ space: ID, records: Int64?, bytes: Int64?) -> Command {
        Command(
            """
            UPDATE sync.space SET records_max = $3, bytes_max = $4 WHERE space_id = $1 AND app = $2 RETURNING 1
            """, [.id(space), .text(app), .int(records), .int(bytes)])
    }

    /// Stores the size of a space that is locked.
    package func counted(_ space: ID, records: Int64, bytes: Int64) -> Command {
        Command(
            """
            UPDATE sync.space SET records = $3, bytes = $4, counted_head = head WHERE space_id = $1 AND app = $2
            """, [.id(space), .text(app), .int(records), .int(bytes)])
    }
}

extension SpaceHolding {
    /// - Parameter rows: the result of `Spaces.readingHolding`; the value is `nil` if there is no such space.
    package init?(_ rows: Rows) {
        guard rows.count > 0 else { return nil }
        self.init(rows, first: 0)
    }
}
