public import WireFormats

/// A change in the outbox: what a user did and the server has not answered yet.
public struct PendingChange: Sendable, Hashable {
    /// Its place in the outbox; they grow.
    public let place: Int64
    public let key: RecordKey
    public let operation: OutgoingChange.Operation
    public let stamp: Int64
    /// The version that it was made in, as `Schema-Version` states it.
    public let version: String
    /// Its JSON object, as it is sent each time.
    public let json: String
    /// Whether the user has said that deleting so much is meant.
    public let isMassDeletion: Bool

    public init(
        place: Int64, key: RecordKey, operation: OutgoingChange.Operation, stamp: Int64, version: String, json: String,
        isMassDeletion: Bool
    ) {
        self.place = place
        self.key = key
        self.operation = operation
        self.stamp = stamp
        self.version = version
        self.json = json
        self.isMassDeletion = isMassDeletion
    }
}

extension PendingChange {
    /// What it sets and adds, in the terms of the version that it was made in.
    func content(_ kind: RecordKind) -> (fields: [String: Value], increments: [String: Int64]) {
        guard let root = (try? JSONDocument(parsing: json))?.root else { return ([:], [:]) }
        var increments: [String: Int64] = [:]
        for member in root["increments"]?.members.map(Array.init) ?? [] { increments[member.key] = member.value.int64 }
        return (root["fields"].flatMap { try? kind.read($0) } ?? [:], increments)
    }
}

/// What a user does to one record.
public struct Edit: Sendable {
    public let key: RecordKey
    public let operation: OutgoingChange.Operation
    /// What is set, by attribute.
    public let fields: [String: Value]
    /// What is added to counters, by attribute.
    public let increments: [String: Int64]

    /// A new record. Attributes that it leaves out have their defaults.
    public static func create(_ key: RecordKey, _ fields: [String: Value]) -> Edit {
        Edit(key: key, operation: .create, fields: fields, increments: [:])
    }

    /// What the user changed of a record, and nothing else.
    public static func update(
        _ key: RecordKey, _ fields: [String: Value], increments: [String: Int64] = [:]
    ) -> Edit {
        Edit(key: key, operation: .update, fields: fields, increments: increments)
    }

    public static func delete(_ key: RecordKey) -> Edit {
        Edit(key: key, operation: .delete, fields: [:], increments: [:])
    }
}
