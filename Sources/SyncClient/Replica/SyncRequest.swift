/// A request that a device is to send. It also contains the parts of the device's state that are needed when the answer
/// arrives.
package struct SyncRequest: Sendable {
    /// The purpose of a request.
    package enum Kind: Sendable {
        case pull
        /// A push of waiting changes and a pull, in one request.
        case sync
        /// An offer of records that a restored server lacks.
        case offer
    }

    package let kind: Kind
    /// `GET` or `POST`.
    package let method: String
    /// The part of the path after `…/spaces/{space}/`.
    package let action: String
    package let query: [(name: String, value: String)]
    package let headers: [(name: String, value: String)]
    /// The JSON body; `nil` for a pull.
    package let body: [UInt8]?
    /// The device's cursor when the request was made. The answer counts only while the device still has this cursor.
    let cursor: String?
    let initialSync: Int64
    /// The positions in the outbox of the changes in the request, in the same order.
    let positions: [Int64]
    /// The keys of the records that the request offers to a server that was restored from a backup and may lack them.
    let offered: [RecordKey]
    /// The number of changes in the body: changes by the user, or changes that are offered to a restored server.
    let sentCount: Int

    /// The number of the user's changes in the request.
    package var changeCount: Int { positions.count }
}

/// The effect that an answer has had on the store.
package struct SyncProgress: Sendable, Hashable {
    /// The number of changes that left the outbox.
    package var sent = 0
    /// The number of records that the server sent.
    package var received = 0
    /// True if another request should follow at once.
    package var hasMore = false
    /// The entities with records that may have changed.
    package var entities: Set<String> = []
    /// The number of conflicts for the user that the answer has caused.
    package var conflicts = 0
    /// True if the server reports that the space has more pages to read.
    var isToBeRead = false
}
