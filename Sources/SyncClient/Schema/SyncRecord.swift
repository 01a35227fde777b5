public import Foundation
public import WireFormats

/// A struct that a version's records of one entity are read into and written from; `syncserver schema swift` writes
/// them.
public protocol SyncRecord: Sendable {
    /// The entity's name in the build's version.
    static var entity: String { get }
    var recordID: RecordID { get }
    init(_ fields: RecordFields) throws
    /// Every attribute and to-one relationship.
    ///
    /// - Throws: for what no attribute can hold, such as a Double that is not finite.
    var fields: [String: Value] { get throws }
}

extension SyncRecord {
    public static func key(_ id: RecordID) -> RecordKey { RecordKey(entity: entity, id: id) }

    /// What the store knows it by.
    public var key: RecordKey { Self.key(recordID) }
}

/// What a record is read from.
public struct RecordFields: Sendable {
    public let id: RecordID
    public let values: [String: Value]

    init(id: RecordID, values: [String: Value]) {
        self.id = id
        self.values = values
    }

    /// The value of an attribute.
    ///
    /// - Throws: `LensFailure` where it is of another type; the build's structs are not those of its version then.
    public func value<T: AttributeValue>(_ attribute: String, as type: T.Type = T.self) throws -> T {
        try T(reading: values[attribute] ?? .null)
    }

    /// The record's id where it is a UUID.
    public var uuid: UUID { UUID(uuidString: id.text) ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

    /// What an attribute is to hold.
    ///
    /// - Throws: `LensFailure` for what no attribute can hold.
    public static func value(of value: some AttributeValue) throws -> Value { try value.value }
}
