public import Foundation
public import WireFormats

/// A Swift struct for the records of one entity in one version. `syncserver schema swift` generates these structs.
public protocol SyncRecord: Sendable {
    /// The entity's name in the build's version.
    static var entity: String { get }
    /// The id of the record.
    var recordID: RecordID { get }
    /// Makes the struct of a stored record.
    ///
    /// - Throws: `LensFailure` if the stored values are not of the build's version.
    init(_ fields: RecordFields) throws
    /// Every attribute and to-one relationship of the record, by name.
    ///
    /// - Throws: an error for a value that no attribute can hold, such as a Double that is not finite.
    var fields: [String: Value] { get throws }
}

extension SyncRecord {
    /// Returns the key of the record with an id.
    public static func key(_ id: RecordID) -> RecordKey { RecordKey(entity: entity, id: id) }

    /// The key of the record in the store.
    public var key: RecordKey { Self.key(recordID) }
}

/// The id and the values of a stored record, from which a `SyncRecord` is made.
public struct RecordFields: Sendable {
    /// The id of the record.
    public let id: RecordID
    /// The values of the attributes and to-one relationships, by name.
    public let values: [String: Value]

    init(id: RecordID, values: [String: Value]) {
        self.id = id
        self.values = values
    }

    /// Returns the value of an attribute.
    ///
    /// - Throws: `LensFailure` if the stored value has another type, because the struct was generated for another
    ///   version than the build's.
    public func value<T: AttributeValue>(_ attribute: String, as type: T.Type = T.self) throws -> T {
        try T(reading: values[attribute] ?? .null)
    }

    /// The record's id as a UUID; the UUID of zeros if the id is another text.
    public var uuid: UUID { UUID(uuidString: id.text) ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

    /// Converts a Swift value to the value that an attribute stores.
    ///
    /// - Throws: `LensFailure` for a value that no attribute can hold.
    public static func value(of value: some AttributeValue) throws -> Value { try value.value }
}
