package import WireFormats

/// A change that the server took, in the words of the version that wrote it, and what its request said besides.
package struct ModelChange: Sendable, Hashable {
    /// What a change does, as on the wire.
    package enum Operation: String, Sendable, Hashable {
        case create
        case update
        case delete
    }

    /// The entity's name in `version`.
    package let entity: String
    package let id: ID
    package let operation: Operation
    /// The stamp that counts, which is the replacement where the change had one from too far ahead. `nil` where it had
    /// none: then it is made of `serverTime` (R3).
    package var stamp: Stamp?
    /// The stamp that its device sent, where another one counts; `never` where it sent none.
    package var sentStamp: Stamp?
    /// The server's time when it took the change. Only looked at where the change has no stamp.
    package var serverTime = Stamp.never
    /// By attribute name; values as `ValueReader` reads them. The attribute that repeats the id may be among them.
    package let fields: [String: Value]
    /// What was added to counters, by attribute name.
    package var increments: [String: Int64] = [:]
    /// The version that the change was written in.
    package let version: ShapeName
    /// Who sent it; `nil` for a request without a `Device-Id`.
    package var device: ID?
    /// Whether the device held the record, by the cursor of the request (`docs/architecture.md`, *Holding*). One whose
    /// request has no cursor holds nothing.
    package var isHeld: Bool
    /// Whether `fields` are all that the client has: `Change-Mode: whole`.
    package var isWhole = false
    /// The values that its device only repeated when the change was held, for one that is replayed.
    package var reading: ModelReading?

    package init(
        _ operation: Operation, _ entity: String, _ id: ID, _ fields: [String: Value] = [:], at stamp: Stamp?,
        in version: ShapeName, isHeld: Bool = false
    ) {
        self.entity = entity
        self.id = id
        self.operation = operation
        self.stamp = stamp
        self.fields = fields
        self.version = version
        self.isHeld = isHeld
    }
}
