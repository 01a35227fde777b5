/// The strongest lock that a statement takes on a table, and how long that has to be held.
package struct TableLock: Sendable, Hashable {
    /// The table; an index's own name where the statement does not say which table it is of.
    package let table: SQLName
    package let mode: LockMode
    package let work: Work

    /// What is done under the lock, which decides whether it is held for a moment or for as long as the table is big.
    package enum Work: Int, Sendable, Hashable, Comparable {
        /// The catalog is changed, or single rows.
        case none
        /// Every row is read.
        case scan
        /// Every row is written.
        case rewrite

        package static func < (left: Work, right: Work) -> Bool { left.rawValue < right.rawValue }
    }
}

extension [TableLock] {
    /// One lock for each table: the strongest mode and the most work.
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
