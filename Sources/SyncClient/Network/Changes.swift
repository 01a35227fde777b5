public import WireFormats

/// A change as a device sends it: only what the user changed.
public struct OutgoingChange: Sendable {
    /// What the user did to the record.
    public enum Operation: String, Sendable {
        case create
        case update
        case delete
    }

    public let entity: String
    public let id: RecordID
    public let operation: Operation
    public let stamp: Stamp?
    /// In the order in which they are sent.
    public let fields: [(name: String, value: Value)]

    /// - Parameter fields: of a reference to what has a text for its id, that as `.string`; of any other, `.uuid`.
    public init(
        entity: String, id: RecordID, operation: Operation, stamp: Stamp?, fields: [(name: String, value: Value)] = []
    ) {
        self.entity = entity
        self.id = id
        self.operation = operation
        self.stamp = stamp
        self.fields = fields
    }

    public init(
        entity: String, id: ID, operation: Operation, stamp: Stamp?, fields: [(name: String, value: Value)] = []
    ) {
        self.init(entity: entity, id: RecordID(id), operation: operation, stamp: stamp, fields: fields)
    }

    /// Appends the change's JSON object.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("entity", entity)
        writer.member("id", id.text)
        writer.member("op", operation.rawValue)
        if let stamp {
            writer.member("stamp", stamp.rawValue)
        }
        if operation != .delete {
            writer.key("fields")
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

/// A record as the server sends it: its latest state in the device's version, or that it no longer exists.
public struct IncomingChange: Sendable {
    public let entity: String
    public let id: RecordID
    public let seq: Int64
    public let stamp: Stamp
    /// Every attribute and to-one relationship by name, a reference to what has a text for its id as `.string`; `nil`
    /// for a record that was deleted.
    public let fields: [String: Value]?
}
