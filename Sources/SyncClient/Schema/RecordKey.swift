/// The key of a record on a device: its entity's name in the device's version, and its id.
public struct RecordKey: Hashable, Sendable {
    /// The entity's name in the version of the device.
    public let entity: String
    /// The id of the record.
    public let id: RecordID

    /// Makes a key.
    public init(entity: String, id: RecordID) {
        self.entity = entity
        self.id = id
    }
}

extension RecordKey: CustomStringConvertible {
    public var description: String { "\(entity) \(id)" }
}
