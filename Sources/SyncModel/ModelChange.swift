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
    /// The stamp with which the server merged the change. It is the device's own stamp, or the server's replacement for
    /// a stamp that was too far ahead.
    ///
    /// If the change had no stamp, this is `nil`, and the model derives a stamp from `serverTime`.
    package var stamp: Stamp?
    /// The stamp that the device sent; `nil` if it is the same as `stamp`, and `Stamp.never` if the device sent no
    /// stamp.
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
    /// True if the device had the record's current state when it sent the change, according to the cursor in its
    /// request (`docs/internals/cursors.md`, *Holding*). Always false for a request without a cursor.
    package var isHeld: Bool
    /// True if `fields` contains every attribute of the record that the client has, as the header `Change-Mode: whole`
    /// declares.
    package var isWhole = false
    /// The values in the change that the device did not edit, but sent back as it had read them.
    ///
    /// The server determines them when it puts the change into quarantine. This is set only for a change that leaves
    /// the quarantine and is merged; otherwise it is `nil`.
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
