import PGStore
package import WireFormats

/// How far a space has come: what events tell of.
package struct SpaceHead: Hashable, Sendable {
    /// The database's: a restored one begins another, and its heads may be lower.
    package let epoch: ID
    package let head: Int64

    package init(epoch: ID, head: Int64) {
        (self.epoch, self.head) = (epoch, head)
    }

    init(_ state: SpaceState) {
        self.init(epoch: state.epoch, head: state.head)
    }

    /// Whether it says more than `known`. What comes over several ways may come late.
    package func isNews(after known: SpaceHead?) -> Bool {
        guard let known else { return true }
        return epoch != known.epoch || head > known.head
    }
}
