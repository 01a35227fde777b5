/// The strongest lock that a statement takes on a table, and the work that is done under it.
package struct TableLock: Sendable, Hashable {
    /// The locked table. If a statement about an index does not name the table, this is the name of the index.
    package let table: SQLName
    package let mode: LockMode
    package let work: Work

    /// The work that is done on a table under its lock. It determines if the lock is kept for a moment or for a time
    /// that grows with the table.
    package enum Work: Int, Sendable, Hashable, Comparable {
        /// Only the catalog or single rows are changed.
        case none
        /// Every row is read.
        case scan
        /// Every row is written.
        case rewrite

        package static func < (left: Work, right: Work) -> Bool { left.rawValue < right.rawValue }
    }
}

extension [TableLock] {
    /// These locks, merged into one for each table. The merged lock has the strongest mode and the most work.
    package var merged: [TableLock] {
        var merged: [TableLock] = []
        for lock in self {
            guard let index = merged.firstIndex(where: { $0.table == lock.table }) else {
                merged.append(lock)
                continue
            }
            merged[index] = TableLock(
                table: lock.table, mode: Swift.max(merged[index].mode, lock.mode),
                work: Swift.max(merged[index].work, lock.work))
        }
        return merged
    }
}
