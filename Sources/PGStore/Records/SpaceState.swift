import PlantedBugs
package import Postgres
package import WireFormats

/// The state of a space: its latest sequence number, the eras of its changes, and the migrations that a server must
/// know to use it.
package struct SpaceState: Sendable {
    /// The sequence number of the space's latest change; 0 if there is no such space yet.
    package let head: Int64
    /// The database's epoch, a random id that changes when a backup was restored.
    package let epoch: ID
    /// The highest sequence number of a tombstone (the row of a deleted record) that was removed from the space.
    package let horizon: Int64
    /// The eras (times between two starts of PostgreSQL) in which changes were pushed into the space.
    package let eras: Eras
    /// The number of the app's migrations that a server must know to use the space. It is the highest number that a
    /// push into the space has stored; 0 if no push has stored one.
    package let level: Int64

    /// The number of times that rights in the space were revoked. A request may proceed only while this number is the
    /// same as when the caller's rights were read.
    package let revocations: Int64
    /// True if this database serves the space. False if another one does, or if the space is being moved to another.
    package let isHere: Bool

    /// An upper bound for the total size in bytes of the attributes of each record in the space. It is `unmeasured` if
    /// no bound is known, or if the bound was not read from the database.
    package let recordSizeBytes: Int64

    /// The value of `recordSizeBytes` for an unknown size. It is more bytes than any record has, because no accepted
    /// request body ever had more.
    package static let unmeasured: Int64 = 1 << 25

    /// The upper bound to which sequence numbers and sizes from the database are reduced, so that sums and products of
    /// them cannot overflow. A greater one can have been stored only by SQL that is not this server's.
    private static let countMax: Int64 = 1 << 40

    private static func bounded(_ count: Int64?) -> Int64? { count.map { max(0, min($0, countMax)) } }

    /// Parses one row of a result with the state of a space.
    ///
    /// - Parameters:
    ///   - rows: rows that begin with the columns `(head, epoch, horizon, level, era, ended eras, rights, is here)`.
    ///   - recordSize: the index of the column with the upper bound for the size of a record; `nil` if it was not read.
    package init(_ rows: Rows, _ row: Int = 0, recordSize: Int? = nil) {
        revocations = rows.intIfPresent(row, 6) ?? 0
        isHere = rows.bool(row, 7) || PlantedBug.staleMapBelieved.isPlanted
        recordSizeBytes = SpaceState.bounded(recordSize.flatMap { rows.intIfPresent(row, $0) }) ?? SpaceState.unmeasured
        head = SpaceState.bounded(rows.intIfPresent(row, 0)) ?? 0
        epoch = rows.id(row, 1)
        horizon = rows.intIfPresent(row, 2) ?? 0
        level = rows.intIfPresent(row, 3) ?? 0
        eras = Eras(latest: rows.intIfPresent(row, 4), ended: rows.intsIfPresent(row, 5) ?? [])
    }
}

/// The eras in which changes were pushed into a space. An era is the time between two starts of PostgreSQL, and has a
/// random mark.
///
/// Eras show if the database's files were replaced by an older snapshot. A cursor of an era that began after the
/// snapshot has a mark that the files do not contain. A cursor of the snapshot's last era may have a higher sequence
/// number than the files contain.
package struct Eras: Sendable {
    /// The mark of the era in which the latest change was pushed; `nil` if nothing was pushed since servers record
    /// eras.
    package let latest: Int64?
    /// The eras before the latest one, the latest first. Each era is two elements: its mark, and the head (the latest
    /// sequence number) that the space had at the era's end.
    private let ended: [Int64]

    /// Creates the eras from the columns of `sync.space`.
    ///
    /// - Parameter ended: two elements for each earlier era: its mark, and the space's head at its end.
    init(latest: Int64?, ended: [Int64]) {
        (self.latest, self.ended) = (latest, ended)
    }

    /// Returns the head (the latest sequence number) that the space had at the end of an era. If a cursor of that era
    /// has a higher number, its device has read changes that the database has lost.
    ///
    /// - Parameters:
    ///   - mark: the era's mark; `nil` for a cursor that was made before the server recorded eras.
    ///   - head: the space's current head.
    /// - Returns: the head at the era's end. For the latest era, which has not ended, and for a `nil` mark, it is the
    ///   current head. `nil` if nothing was pushed in the era, or if it is too long ago.
    package func end(of mark: Int64?, head: Int64) -> Int64? {
        guard let mark, mark != latest else { return head }
        let index = stride(from: 0, to: ended.count - 1, by: 2).first { ended[$0] == mark }
        return index.map { ended[$0 + 1] }
    }
}
