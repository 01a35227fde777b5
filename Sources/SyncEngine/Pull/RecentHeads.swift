import Synchronization
import WireFormats

/// The heads of spaces that this process moved lately: hints, which may be behind or gone, or of a time that a restored
/// database does not know.
///
/// Devices pull when they are told that others pushed. A hint that there is something spares them the question.
final class RecentHeads: Sendable {
    /// A space has one place, which the last that moved takes. Together 100 KB: far more spaces than move within the
    /// time that a device takes to pull after it was told.
    private static let placesCount = 4_096

    private let heads = Mutex(Array(repeating: (space: ID(high: 0, low: 0), head: Int64(0)), count: placesCount))

    func note(_ space: ID, head: Int64) {
        let place = RecentHeads.place(of: space)
        heads.withLock { $0[place] = (space, head) }
    }

    /// What was noted last of the space; `nil` where none is known.
    func head(of space: ID) -> Int64? {
        let noted = heads.withLock { $0[RecentHeads.place(of: space)] }
        return noted.space == space ? noted.head : nil
    }

    private static func place(of space: ID) -> Int {
        Int(truncatingIfNeeded: space.hashValue) & (placesCount - 1)
    }
}
