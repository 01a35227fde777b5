/// The key of a record on a device: its entity's name in the device's version, and its id.
public struct RecordKey: Hashable, Sendable {
    public let entity: String
    public let id: RecordID

    public init(entity: String, id: RecordID) {
        self.entity = entity
        self.id = id
    }
}

extension RecordKey: CustomStringConvertible {
    public var description: String { "\(entity) \(id)" }
}
