import Synchronization

/// A limit on the records that are restored at the same time, in one process. A push that creates a deleted record
/// again also restores the records that were deleted with it by cascade. Each of them is loaded, merged and written,
/// and takes about 1.5 KB meanwhile.
package final class ReturningBudget: Sendable {
    /// The most records that may be restored at the same time. If a deletion cascaded to more records, a client that
    /// creates the deleted record again is asked to use a new id.
    package static let countMax = 100_000

    /// The most visits of records in one push's search for the records to restore. The search goes level by level, and
    /// visits all records of the push in each level. The limit admits a chain of 2,000 records that depend on each
    /// other, which takes seconds.
    package static let visitsMax = 2_000_000

    private let countMax: Int
    private let visitsMax: Int
    private let taken = Mutex(0)

    package init(countMax: Int = countMax, visitsMax: Int = visitsMax) {
        (self.countMax, self.visitsMax) = (countMax, visitsMax)
    }

    /// The share of the budget that one push has taken; it is returned when this object is deallocated.
    final class Share: Sendable {
        private let budget: ReturningBudget
        private let count = Mutex(0)
        private let visits = Mutex(0)

        init(of budget: ReturningBudget) {
            self.budget = budget
        }

        /// Takes `more` records from the budget.
        ///
        /// - Throws: `SyncError.tooManyReturning`, if this push alone would exceed the limit; `SyncError.busy`, if only
        ///   all running pushes together would exceed it.
        func take(_ more: Int) throws(SyncError) {
            guard count.withLock({ $0 }) + more <= budget.countMax else {
                throw .tooManyReturning(max: budget.countMax)
            }
            let hasRoom = budget.taken.withLock { taken in
                if taken + more > budget.countMax { return false }
                taken += more
                return true
            }
            if !hasRoom { throw .busy }
            count.withLock { $0 += more }
        }

        /// Counts `more` visits of records in the search for the records to restore. Each level of the search visits
        /// all records of the push once.
        ///
        /// - Throws: `SyncError.tooManyLevels`, if the push has used up its visits.
        func visit(_ more: Int) throws(SyncError) {
            let all = visits.withLock { visits in
                visits += more
                return visits
            }
            if all > budget.visitsMax { throw .tooManyLevels }
        }

        deinit {
            let count = count.withLock { $0 }
            budget.taken.withLock { $0 -= count }
        }
    }
}
