/// A request that a device is to send, with the state that its answer will apply to.
public struct SyncRequest: Sendable {
    /// The purpose of a request.
    public enum Kind: Sendable {
        case pull
        /// A push, then a pull.
        case sync
        /// An offer of records that a restored server lacks.
        case offer
    }

    public let kind: Kind
    /// `GET` or `POST`.
    public let method: String
    /// The part of the path after `…/spaces/{space}/`.
    public let action: String
    public let query: [(name: String, value: String)]
    public let headers: [(name: String, value: String)]
    /// The JSON body.
    public let body: [UInt8]?
    /// The cursor with which the request was made. Its answer counts only while the device still has this cursor.
    let cursor: String?
    let walk: Int64
    /// The positions in the outbox of the changes in the request.
    let places: [Int64]
    /// The records that are offered.
    let offered: [RecordKey]
    /// The number of changes in the body: the user's, or those that are offered.
    let sentCount: Int

    /// The number of the user's changes in the request.
    public var changeCount: Int { places.count }
}

/// The effect of an answer on the store.
public struct SyncProgress: Sendable, Hashable {
    /// The number of changes that left the outbox.
    public var sent = 0
    /// The number of records that the server sent.
    public var received = 0
    /// True if another request should follow at once.
    public var hasMore = false
    /// The entities with records that may have changed.
    public var entities: Set<String> = []
    /// The number of new conflicts for the user.
    public var conflicts = 0
    /// True if the server says that there is more to read.
    var isToBeRead = false
}
