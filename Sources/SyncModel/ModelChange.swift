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

    /// The entity's name in `version`.
    package let entity: String
    package let id: ID
    package let operation: Operation
    /// The stamp with which the server merged the change: the device's stamp, or its replacement if that was too far
    /// ahead. `nil` if the change had no stamp; then the stamp is derived from `serverTime` (rule R3).
    package var stamp: Stamp?
    /// The stamp that the device sent, if the server replaced it; `never` if the device sent none.
    package var sentStamp: Stamp?
    /// The server's time when it accepted the change. Used only if the change has no stamp.
    package var serverTime = Stamp.never
    /// Values by attribute name, as `ValueReader` reads them. The attribute that repeats the id may be among them.
    package let fields: [String: Value]
    /// Amounts added to counters, by attribute name.
    package var increments: [String: Int64] = [:]
    /// The version that the change was written in.
    package let version: ShapeName
    /// The device that sent the change; `nil` for a request without a `Device-Id`.
    package var device: ID?
    /// True if the device held the record (had its current state), according to the cursor of the request
    /// (`docs/internals/cursors.md`, *Holding*). A device whose request has no cursor holds nothing.
    package var isHeld: Bool
    /// True if `fields` has every attribute of the record that the client has, as declared by `Change-Mode: whole`.
    package var isWhole = false
    /// The values that the device only repeated when the change was put into quarantine. It is set for a change that
    /// the operator replays; otherwise `nil`.
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
