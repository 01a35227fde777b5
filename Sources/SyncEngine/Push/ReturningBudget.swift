import Synchronization

/// How many records may come back to life at a time with what pushes create again, in one process. Each is loaded,
/// merged and written, which takes some 1.5 KB meanwhile.
package final class ReturningBudget: Sendable {
    /// In all. Whoever creates again what more went with is told to take a new id.
    package static let countMax = 100_000

    /// How often one push may go through a record to find what comes back with it. What comes back is found level by
    /// level, and each level goes through all that is there: a chain of 2,000 records that went with each other is
    /// within this, and takes seconds.
    package static let visitsMax = 2_000_000

    private let countMax: Int
    private let visitsMax: Int
    private let taken = Mutex(0)

    package init(countMax: Int = countMax, visitsMax: Int = visitsMax) {
        (self.countMax, self.visitsMax) = (countMax, visitsMax)
    }

    /// What one push has taken; it goes back with this.
    final class Share: Sendable {
        private let budget: ReturningBudget
        private let count = Mutex(0)
        private let visits = Mutex(0)

        init(of budget: ReturningBudget) {
            self.budget = budget
        }

        /// - Throws: `SyncError.tooManyReturning`, where one push would pass the limit; `SyncError.busy`, where it
        ///   would do so with others.
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

        /// Notes that a level goes through `more` records.
        ///
        /// - Throws: `SyncError.tooManyLevels`.
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
