import PGStore
package import WireFormats

/// The head of a space, as events report it: its highest sequence number, with the database's epoch.
package struct SpaceHead: Hashable, Sendable {
    /// The epoch of the database. A database that was restored from a backup begins a new epoch, and its heads may be
    /// lower than before.
    package let epoch: ID
    package let head: Int64

    package init(epoch: ID, head: Int64) {
        (self.epoch, self.head) = (epoch, head)
    }

    init(_ state: SpaceState) {
        self.init(epoch: state.epoch, head: state.head)
    }

    /// Returns true if this head is newer than `known`, or of another epoch, or if `known` is `nil`. Heads arrive by
    /// several ways, so an older one may arrive late.
    package func isNews(after known: SpaceHead?) -> Bool {
        guard let known else { return true }
        return epoch != known.epoch || head > known.head
    }
}
