import PGStore
import WireFormats

/// How far a space has come: what events tell of.
package struct SpaceHead: Hashable, Sendable {
    /// The database's: a restored one begins another, and its heads may be lower.
    let epoch: ID
    let head: Int64

    init(epoch: ID, head: Int64) {
        (self.epoch, self.head) = (epoch, head)
    }

    init(_ state: SpaceState) {
        self.init(epoch: state.epoch, head: state.head)
    }

    /// Whether it says more than `known`. What comes over several ways may come late.
    func isNews(after known: SpaceHead?) -> Bool {
        guard let known else { return true }
        return epoch != known.epoch || head > known.head
    }
}
