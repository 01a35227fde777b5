/// A request that a device is to make, and what its answer will be about.
public struct SyncRequest: Sendable {
    /// What it is for.
    public enum Kind: Sendable {
        case pull
        /// A push, then a pull.
        case sync
        /// What a restored server lacks.
        case offer
    }

    public let kind: Kind
    /// `GET` or `POST`.
    public let method: String
    /// Below `…/spaces/{space}/`.
    public let action: String
    public let query: [(name: String, value: String)]
    public let headers: [(name: String, value: String)]
    /// JSON.
    public let body: [UInt8]?
    /// The cursor that it was made with: its answer counts only where the device still has it.
    let cursor: String?
    let walk: Int64
    /// The changes in it, by their places in the outbox.
    let places: [Int64]
    /// The records that are offered.
    let offered: [RecordKey]
    /// How many changes its body has, the user's or those that are offered.
    let sentCount: Int

    /// How many changes of the user's it has.
    public var changeCount: Int { places.count }
}

/// What an answer has brought.
public struct SyncProgress: Sendable, Hashable {
    /// Changes that left the outbox.
    public var sent = 0
    /// Records that were told.
    public var received = 0
    /// Whether there is more to ask for.
    public var hasMore = false
    /// The entities of which something may read otherwise now.
    public var entities: Set<String> = []
    /// What the user should know.
    public var conflicts = 0
    /// Whether the server says that there is more to read.
    var isToBeRead = false
}
