package import WireFormats

/// A change that the server accepted, with the names and values of the version that wrote it, and with the properties
/// of its request.
package struct ModelChange: Sendable, Hashable {
    /// The operation of a change, with the names that the JSON of a push uses.
    package enum Operation: String, Sendable, Hashable {
        case create
        case update
        case delete
    }

    /// The entity's name in the version that wrote the change.
    package let entity: String
    package let id: ID
    package let operation: Operation
    /// The stamp with which the server merged the change: the device's stamp, or the server's replacement for a stamp
    /// that was too far ahead. `nil` if the change had no stamp; then the model derives one from `serverTime` (rule
    /// R3).
    package var stamp: Stamp?
    /// The stamp that the device sent; `never` if the device sent none, and `nil` if it is the same as `stamp`.
    package var sentStamp: Stamp?
    /// The server's time when it accepted the change. It is used only for a change without a stamp.
    package var serverTime = Stamp.never
    /// The attribute values by name, in the form that `ValueReader` returns. The attribute that repeats the record's id
    /// may be among them.
    package let fields: [String: Value]
    /// The amounts that the change adds to counters (attributes whose edits are increments), by attribute name.
    package var increments: [String: Int64] = [:]
    /// The version in which the change was written.
    package let version: ShapeName
    /// The device that sent the change; `nil` for a request without a `Device-Id`.
    package var device: ID?
    /// True if the device held the record (had its current state) when it sent the change, according to the request's
    /// cursor (`docs/internals/cursors.md`, *Holding*). A device whose request has no cursor holds nothing.
    package var isHeld: Bool
    /// True if `fields` contains every attribute of the record that the client has, as the header `Change-Mode: whole`
    /// declares.
    package var isWhole = false
    /// The values that the device only repeated, as found when the change was put into quarantine. It is set if the
    /// operator now lets the server merge the change; otherwise it is `nil`.
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
