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
    /// The highest count of the app's migrations that any server knew which has pushed into the space; 0 if none has
    /// reported it.
    package let level: Int64

    /// The count of revocations of rights in the space. A request may proceed only while it equals the count with which
    /// the caller's rights were read.
    package let revocations: Int64

    /// The most bytes that any record of the space has in its attributes; `unmeasured` if the size is not known, or was
    /// not read from the database.
    package let recordSizeBytes: Int64

    /// The value of `recordSizeBytes` for an unknown size. It is more bytes than any record has, because no accepted
    /// request body ever had more.
    package static let unmeasured: Int64 = 1 << 25

    /// The upper bound for heads and sizes that are read from the database. Only SQL that is not this server's can have
    /// stored a greater one. The bound keeps sums and products far below overflow.
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

/// The eras in which a space was pushed into. An era is the time between two starts of PostgreSQL, and is identified by
/// a random mark. Eras reveal that the database's files were restored from a snapshot: such files lack later eras, and
/// devices may have read more of the last era than the files contain.
package struct Eras: Sendable {
    /// The mark of the era of the latest push; `nil` if there was no push since the server records eras.
    package let latest: Int64?
    /// The eras before the latest, the latest first: for each, its mark and the space's head when it ended.
    private let ended: [Int64]

    /// Creates the eras from the columns of `sync.space`.
    ///
    /// - Parameter ended: the mark and the head of each earlier era in turn.
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
