package import StrictJSON
public import WireFormats

/// A change as a device sends it: only the attributes that the user changed.
public struct OutgoingChange: Sendable {
    /// The kind of a change.
    public enum Operation: String, Sendable {
        /// The creation of a record, with all of its attributes.
        case create
        /// The change of some attributes of a record.
        case update
        /// The deletion of a record.
        case delete
    }

    package let entity: String
    package let id: RecordID
    package let operation: Operation
    package let stamp: Stamp?
    /// The changed attributes, each with its new value, in the order in which they are sent.
    package let fields: [(name: String, value: Value)]

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - entity: the entity's name in the version of the app's build.
    ///   - id: the id of the record.
    ///   - operation: the kind of the change. A creation has every attribute.
    ///   - stamp: the time of the change; `nil` for the time at which the server receives it.
    ///   - fields: the changed attributes by name. A reference is `.string` if the target entity's ids are of type
    ///     `String`, otherwise `.uuid`.
    public init(
        entity: String, id: RecordID, operation: Operation, stamp: Stamp?, fields: [(name: String, value: Value)] = []
    ) {
        self.entity = entity
        self.id = id
        self.operation = operation
        self.stamp = stamp
        self.fields = fields
    }

    package init(
        entity: String, id: ID, operation: Operation, stamp: Stamp?, fields: [(name: String, value: Value)] = []
    ) {
        self.init(entity: entity, id: RecordID(id), operation: operation, stamp: stamp, fields: fields)
    }

    /// Appends the change as a JSON object.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member(BodyMember.entity, entity)
        writer.member(BodyMember.id, id.text)
        writer.member(BodyMember.operation, operation.rawValue)
        if let stamp {
            writer.member(BodyMember.stamp, stamp.rawValue)
        }
        if operation != .delete {
            writer.key(BodyMember.fields)
            writer.beginObject()
            for field in fields {
                writer.key(field.name)
                writer.value(field.value)
            }
            writer.endObject()
        }
        writer.endObject()
    }
}

/// A record as the server sends it: its latest state in the device's version, or its deletion.
package struct IncomingChange: Sendable {
    package let entity: String
    package let id: RecordID
    package let seq: Int64
    package let stamp: Stamp
    /// Every attribute and to-one relationship by name; `nil` for a deleted record. A reference is `.string` if the ids
    /// of its target are texts.
    package let fields: [String: Value]?
}
