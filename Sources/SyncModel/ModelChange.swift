package import WireFormats

/// A change that the server took, in the words of the version that wrote it.
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
    /// The stamp that counts: the server's own where the change had none, and the replacement where it had one from too
    /// far ahead.
    package let stamp: Stamp
    /// By attribute name; values as `ValueReader` reads them. The attribute that repeats the id may be among them.
    package let fields: [String: Value]
    /// The version that the change was written in.
    package let version: ShapeName

    package init(
        _ operation: Operation, _ entity: String, _ id: ID, _ fields: [String: Value] = [:], at stamp: Stamp,
        in version: ShapeName
    ) {
        self.entity = entity
        self.id = id
        self.operation = operation
        self.stamp = stamp
        self.fields = fields
        self.version = version
    }
}
