import Synchronization
import WireFormats

/// The heads (highest sequence numbers) of spaces that this process changed recently, as hints. A head may be outdated
/// or missing here, or higher than the real one if the database was restored from a backup.
///
/// Devices pull when they are notified of a push. If the head here shows that there is something to pull, the real head
/// need not be queried.
final class RecentHeads: Sendable {
    /// The count of slots, which take 100 KB in all. Each space has a fixed slot, and the latest of the spaces that
    /// share a slot overwrites it.
    ///
    /// There are far more slots than spaces that change in the time that a notified device takes to pull.
    private static let slotCount = 4_096

    private let heads = Mutex(Array(repeating: (space: ID(high: 0, low: 0), head: Int64(0)), count: slotCount))

    func note(_ space: ID, head: Int64) {
        let slot = RecentHeads.slot(of: space)
        heads.withLock { $0[slot] = (space, head) }
    }

    /// Returns the latest head that was noted for the space; `nil` if none is known.
    func head(of space: ID) -> Int64? {
        let noted = heads.withLock { $0[RecentHeads.slot(of: space)] }
        return noted.space == space ? noted.head : nil
    }

    private static func slot(of space: ID) -> Int {
        Int(truncatingIfNeeded: space.hashValue) & (slotCount - 1)
    }
}
