package import WireFormats

/// A change that the server accepted, in the terms of the version that wrote it, with the properties of its request.
package struct ModelChange: Sendable, Hashable {
    /// The operation of a change, named as on the wire.
    package enum Operation: String, Sendable, Hashable {
        case create
        case update
        case delete
    }

    /// The entity's name in `version`.
    package let entity: String
    package let id: ID
    package let operation: Operation
    /// The stamp that counts: the replacement if the device's stamp was too far ahead. `nil` if the change had no
    /// stamp; then the stamp is derived from `serverTime` (R3).
    package var stamp: Stamp?
    /// The stamp that the device sent, if another stamp counts; `never` if the device sent none.
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
    /// True if the device held the record, by the cursor of the request (`docs/internals/cursors.md`, *Holding*). A
    /// device whose request has no cursor holds nothing.
    package var isHeld: Bool
    /// True if `fields` are all attributes that the client has: `Change-Mode: whole`.
    package var isWhole = false
    /// The values that the device only repeated when the change was held; set for a change that is replayed.
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
