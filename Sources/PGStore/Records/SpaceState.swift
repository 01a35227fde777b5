package import Postgres
package import WireFormats

/// The state of a space, as `Spaces` reads it.
package struct SpaceState: Sendable {
    /// The number of the space's latest change; 0 if there is no such space yet.
    package let head: Int64
    /// The database's epoch.
    package let epoch: ID
    /// The highest number of a tombstone that was collected.
    package let horizon: Int64
    /// The eras in which the space was pushed into.
    package let eras: Eras
    /// The count of the app's migrations that were known to the newest server that has pushed into the space; 0 if none
    /// has reported it.
    package let level: Int64

    /// The count of times that rights in the space were revoked. It must equal the count with which a sender's rights
    /// were read.
    package let revocations: Int64

    /// The most bytes that any record of the space has in its attributes; `unmeasured` if it is not known, or was not
    /// read.
    package let recordSizeBytes: Int64

    /// More bytes than any record has: no accepted request body ever had more.
    package static let unmeasured: Int64 = 1 << 25

    /// The upper bound for heads and sizes. Only SQL can have made a greater one; the bound keeps sums and products far
    /// below overflow.
    private static let countMax: Int64 = 1 << 40

    private static func bounded(_ count: Int64?) -> Int64? { count.map { max(0, min($0, countMax)) } }

    /// - Parameters:
    ///   - rows: `(head, epoch, horizon, level, era, ended eras)`.
    ///   - rights: the index of the column with the count of revoked rights.
    ///   - recordSize: the index of the column with the size of the largest record, if there is one.
    package init(_ rows: Rows, _ row: Int = 0, rights: Int, recordSize: Int? = nil) {
        self.revocations = rows.intIfPresent(row, rights) ?? 0
        recordSizeBytes = SpaceState.bounded(recordSize.flatMap { rows.intIfPresent(row, $0) }) ?? SpaceState.unmeasured
        head = SpaceState.bounded(rows.intIfPresent(row, 0)) ?? 0
        epoch = rows.id(row, 1)
        horizon = rows.intIfPresent(row, 2) ?? 0
        level = rows.intIfPresent(row, 3) ?? 0
        eras = Eras(latest: rows.intIfPresent(row, 4), ended: rows.intsIfPresent(row, 5) ?? [])
    }
}

/// The eras in which a space was pushed into. An era is the time between two starts of PostgreSQL, and has a random
/// mark. Files that were restored know nothing of later eras, and less of their last era than devices may have read.
package struct Eras: Sendable {
    /// The mark of the era of the latest push; `nil` if nothing was pushed since the server knows of eras.
    package let latest: Int64?
    /// For each earlier era, the latest first, its mark and the space's head when it ended.
    private let ended: [Int64]

    /// - Parameter ended: marks and heads in turn.
    init(latest: Int64?, ended: [Int64]) {
        (self.latest, self.ended) = (latest, ended)
    }

    /// Returns the head that the space had at the end of an era.
    ///
    /// - Parameters:
    ///   - head: the space's current head.
    ///   - mark: the era's mark; `nil` for a cursor from before the server knew of eras, which may be in any era.
    /// - Returns: `nil` for an era that the space was not in, or which was too long ago.
    package func end(of mark: Int64?, head: Int64) -> Int64? {
        guard let mark, mark != latest else { return head }
        let index = stride(from: 0, to: ended.count - 1, by: 2).first { ended[$0] == mark }
        return index.map { ended[$0 + 1] }
    }
}
