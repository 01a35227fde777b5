package import Postgres
package import WireFormats

/// What a space holds, and what it may.
package struct SpaceHolding: Sendable, Hashable {
    /// Records that are alive; `nil` where nobody has counted them.
    package let records: Int64?
    /// Bytes of their values, to some tens of kilobytes; `nil` where nobody has counted them.
    package let bytes: Int64?
    /// Whether nothing has happened since that was not counted.
    package let isExact: Bool
    /// What an operator allows this space; `nil` for what its servers allow all.
    package let recordsMax: Int64?
    package let bytesMax: Int64?

    /// - Parameters:
    ///   - rows: of `SpaceHolding.columns`, from the column `first` on.
    init(_ rows: Rows, _ row: Int = 0, first: Int) {
        records = rows.intIfPresent(row, first)
        bytes = rows.intIfPresent(row, first + 1)
        recordsMax = rows.intIfPresent(row, first + 2)
        bytesMax = rows.intIfPresent(row, first + 3)
        isExact = rows.bool(row, first + 4)
    }

    /// SQL for what is read of `space`.
    static let columns = """
        space.records, space.bytes, space.records_max, space.bytes_max,
        coalesce(space.counted_head = space.head, false)
        """
}

/// The statements on what spaces hold.
extension Spaces {
    /// What a push changes of it.
    package struct Growth: Sendable, Hashable {
        package var records: Int64 = 0
        package var bytes: Int64 = 0
        /// Whether records came or went whose sizes are not known.
        package var isExact = true

        package init() {}
    }

    /// Reads a `SpaceHolding`; no row where there is no such space.
    package func readingHolding(_ space: ID) -> Command {
        Command(
            Statement(
                unchecked: "SELECT \(SpaceHolding.columns) FROM sync.space AS space WHERE space_id = $1 AND app = $2"),
            [.id(space), .text(app)])
    }

    /// Says what a space may hold; `nil` for what its servers allow all. Returns a row where there is such a space.
    package func allowing(_ space: ID, records: Int64?, bytes: Int64?) -> Command {
        Command(
            """
            UPDATE sync.space SET records_max = $3, bytes_max = $4 WHERE space_id = $1 AND app = $2 RETURNING 1
            """, [.id(space), .text(app), .int(records), .int(bytes)])
    }

    /// Notes what a space holds that is locked.
    package func counted(_ space: ID, records: Int64, bytes: Int64) -> Command {
        Command(
            """
            UPDATE sync.space SET records = $3, bytes = $4, counted_head = head WHERE space_id = $1 AND app = $2
            """, [.id(space), .text(app), .int(records), .int(bytes)])
    }
}

extension SpaceHolding {
    /// - Parameter rows: what `Spaces.readingHolding` returned; `nil` where there is no such space.
    package init?(_ rows: Rows) {
        guard rows.count > 0 else { return nil }
        self.init(rows, first: 0)
    }
}
