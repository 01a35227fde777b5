package import WireFormats

/// Where a space stands, as `Spaces` reads it.
package struct SpaceState: Sendable {
    /// The number of its latest change; 0 where there is no such space yet.
    package let head: Int64
    /// The database's.
    package let epoch: ID
    /// The highest number of a tombstone that was collected.
    package let horizon: Int64
    /// How many of the app's migrations the newest server knew that has pushed here; 0 where none has said so.
    package let level: Int64

    /// No record of the space has more bytes than this in its attributes; `unmeasured` where nobody knows, or where
    /// nobody asked.
    package let recordSizeBytes: Int64

    /// More than any record has: no body that was ever accepted had more.
    package static let unmeasured: Int64 = 1 << 25

    /// - Parameters:
    ///   - rows: `(head, epoch, horizon, level)`.
    ///   - recordSize: the column that says how large records are, where there is one.
    package init(_ rows: Rows, _ row: Int = 0, recordSize: Int? = nil) {
        recordSizeBytes = recordSize.flatMap { rows.intIfPresent(row, $0) } ?? SpaceState.unmeasured
        head = rows.intIfPresent(row, 0) ?? 0
        epoch = rows.id(row, 1)
        horizon = rows.intIfPresent(row, 2) ?? 0
        level = rows.intIfPresent(row, 3) ?? 0
    }
}
