package import Postgres
package import WireFormats

/// Where a space stands, as `Spaces` reads it.
package struct SpaceState: Sendable {
    /// The number of its latest change; 0 where there is no such space yet.
    package let head: Int64
    /// The database's.
    package let epoch: ID
    /// The highest number of a tombstone that was collected.
    package let horizon: Int64
    /// The eras in which it was pushed into.
    package let eras: Eras
    /// How many of the app's migrations the newest server knew that has pushed here; 0 where none has said so.
    package let level: Int64

    /// How often rights in the space were taken from somebody: what a sender's rights were read with, must be this.
    package let rights: Int64

    /// No record of the space has more bytes than this in its attributes; `unmeasured` where nobody knows, or where
    /// nobody asked.
    package let recordSizeBytes: Int64

    /// More than any record has: no body that was ever accepted had more.
    package static let unmeasured: Int64 = 1 << 25

    /// What a head or a size is taken for that is greater, as only SQL can have made it: sums and products of what
    /// there is are far below.
    private static let countMax: Int64 = 1 << 40

    private static func bounded(_ count: Int64?) -> Int64? { count.map { max(0, min($0, countMax)) } }

    /// - Parameters:
    ///   - rows: `(head, epoch, horizon, level, era, ended eras)`.
    ///   - rights: the column that counts rights.
    ///   - recordSize: the column that says how large records are, where there is one.
    package init(_ rows: Rows, _ row: Int = 0, rights: Int, recordSize: Int? = nil) {
        self.rights = rows.intIfPresent(row, rights) ?? 0
        recordSizeBytes = SpaceState.bounded(recordSize.flatMap { rows.intIfPresent(row, $0) }) ?? SpaceState.unmeasured
        head = SpaceState.bounded(rows.intIfPresent(row, 0)) ?? 0
        epoch = rows.id(row, 1)
        horizon = rows.intIfPresent(row, 2) ?? 0
        level = rows.intIfPresent(row, 3) ?? 0
        eras = Eras(latest: rows.intIfPresent(row, 4), ended: rows.intsIfPresent(row, 5) ?? [])
    }
}

/// The eras in which a space was pushed into; an era is what happens between two starts of PostgreSQL, and has a random
/// mark. Files that were put back know nothing of later eras, and less of their last than devices may have read.
package struct Eras: Sendable {
    /// That of the latest push; `nil` where nothing was pushed since the server knows of eras.
    package let latest: Int64?
    /// For each before, the latest first, its mark and the space's head when it ended.
    private let ended: [Int64]

    /// - Parameter ended: in turn marks and heads.
    init(latest: Int64?, ended: [Int64]) {
        (self.latest, self.ended) = (latest, ended)
    }

    /// The head that the space had when an era was over.
    ///
    /// - Parameters:
    ///   - head: the one that it has.
    ///   - mark: the era's; `nil` for what was read before the server knew of eras, which may end anywhere.
    /// - Returns: `nil` for an era that the space has not lived through, or which was too long ago.
    package func end(of mark: Int64?, head: Int64) -> Int64? {
        guard let mark, mark != latest else { return head }
        let place = stride(from: 0, to: ended.count - 1, by: 2).first { ended[$0] == mark }
        return place.map { ended[$0 + 1] }
    }
}
