import StrictJSON
public import WireFormats

/// A change in the outbox: an edit by the user that the server has not answered yet.
package struct PendingChange: Sendable, Hashable {
    /// The change's position in the outbox. Later changes have larger positions.
    package let position: Int64
    package let key: RecordKey
    package let operation: OutgoingChange.Operation
    package let stamp: Int64
    /// The version in which the change was made, in the format of `Schema-Version`.
    package let version: String
    /// The change's JSON object, which is sent unchanged at each attempt.
    package let json: String
    /// True if the change belongs to a mass deletion (of most of a space) that the user has confirmed.
    package let isMassDeletion: Bool

    package init(
        position: Int64, key: RecordKey, operation: OutgoingChange.Operation, stamp: Int64, version: String,
        json: String,
        isMassDeletion: Bool
    ) {
        self.position = position
        self.key = key
        self.operation = operation
        self.stamp = stamp
        self.version = version
        self.json = json
        self.isMassDeletion = isMassDeletion
    }
}

extension PendingChange {
    /// Returns the values that the change sets and the amounts that it adds to counters, both by attribute.
    ///
    /// - Parameter kind: the description of the entity in the change's version.
    func content(_ kind: RecordKind) -> (fields: [String: Value], increments: [String: Int64]) {
        guard let root = (try? JSONDocument(parsing: json))?.root else { return ([:], [:]) }
        var increments: [String: Int64] = [:]
        for member in root[BodyMember.increments]?.members.map(Array.init) ?? [] {
            increments[member.key] = member.value.int64
        }
        return (root[BodyMember.fields].flatMap { try? kind.read($0) } ?? [:], increments)
    }
}

/// An edit of one record by the user, with the attributes given by name.
public struct Edit: Sendable {
    /// The record that is edited.
    public let key: RecordKey
    package let operation: OutgoingChange.Operation
    /// The values to set, by attribute.
    package let fields: [String: Value]
    /// The amounts to add to counters, by attribute.
    package let increments: [String: Int64]

    /// Returns an edit that creates a record. Attributes that are left out have their defaults.
    public static func create(_ key: RecordKey, _ fields: [String: Value]) -> Edit {
        Edit(key: key, operation: .create, fields: fields, increments: [:])
    }

    /// Returns an edit that changes the given attributes of a record, and nothing else.
    public static func update(
        _ key: RecordKey, _ fields: [String: Value], increments: [String: Int64] = [:]
    ) -> Edit {
        Edit(key: key, operation: .update, fields: fields, increments: increments)
    }

    /// Returns an edit that deletes a record.
    public static func delete(_ key: RecordKey) -> Edit {
        Edit(key: key, operation: .delete, fields: [:], increments: [:])
    }
}
