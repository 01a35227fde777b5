import Synchronization
import WireFormats

/// Hints at the heads of spaces that this process changed recently. A hint may be outdated or missing, or newer than
/// the head of a database that was restored from a backup.
///
/// Devices pull when they are notified of a push. A hint that there is something to pull saves the query for the head.
final class RecentHeads: Sendable {
    /// The count of slots. Each space has one slot, which is overwritten by the latest space that changed. All slots
    /// take 100 KB, and are far more than the spaces that change in the time that a notified device takes to pull.
    private static let slotCount = 4_096

    private let heads = Mutex(Array(repeating: (space: ID(high: 0, low: 0), head: Int64(0)), count: slotCount))

    func note(_ space: ID, head: Int64) {
        let slot = RecentHeads.slot(of: space)
        heads.withLock { $0[slot] = (space, head) }
    }

    /// The latest head that was noted for the space; `nil` if none is known.
    func head(of space: ID) -> Int64? {
        let noted = heads.withLock { $0[RecentHeads.slot(of: space)] }
        return noted.space == space ? noted.head : nil
    }

    private static func slot(of space: ID) -> Int {
        Int(truncatingIfNeeded: space.hashValue) & (slotCount - 1)
    }
}
