import Postgres
import SyncServer
package import WireFormats

/// Changes for a push, as JSON. An example is `.update("SDMeal", id, ["notes": "Soup"], at: moment(3))`.
extension JSONValue {
    package static func create(
        _ entity: String, _ id: ID, _ fields: [String: JSONValue] = [:], at stamp: Int64?, in version: String? = nil
    ) -> JSONValue {
        change("create", entity, id.description, fields, stamp, version)
    }

    package static func update(
        _ entity: String, _ id: ID, _ fields: [String: JSONValue] = [:], at stamp: Int64?, in version: String? = nil
    ) -> JSONValue {
        change("update", entity, id.description, fields, stamp, version)
    }

    package static func delete(_ entity: String, _ id: ID, at stamp: Int64?, in version: String? = nil) -> JSONValue {
        change("delete", entity, id.description, nil, stamp, version)
    }

    /// Returns a creation of a record whose id is a text.
    package static func create(
        _ entity: String, _ id: String, _ fields: [String: JSONValue] = [:], at stamp: Int64?
    ) -> JSONValue {
        change("create", entity, id, fields, stamp, nil)
    }

    package static func update(
        _ entity: String, _ id: String, _ fields: [String: JSONValue] = [:], at stamp: Int64?
    ) -> JSONValue {
        change("update", entity, id, fields, stamp, nil)
    }

    package static func delete(_ entity: String, _ id: String, at stamp: Int64?) -> JSONValue {
        change("delete", entity, id, nil, stamp, nil)
    }

    /// Returns an update that adds amounts to a record's counters, and sets no attribute.
    ///
    /// - Parameter increments: the amounts, by attribute name.
    package static func count(
        _ entity: String, _ id: ID, _ increments: [String: JSONValue], at stamp: Int64?
    ) -> JSONValue {
        update(entity, id, at: stamp).with("increments", .object(increments))
    }

    /// Returns the object with a member added or replaced.
    package func with(_ name: String, _ value: JSONValue) -> JSONValue {
        .object(members.merging([name: value]) { $1 })
    }

    /// Returns an id as the value of a reference.
    package static func id(_ id: ID) -> JSONValue {
        .string(id.description)
    }

    private static func change(
        _ operation: String, _ entity: String, _ id: String, _ fields: [String: JSONValue]?, _ stamp: Int64?,
        _ version: String?
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "entity": .string(entity), "id": .string(id), "op": .string(operation),
        ]
        if let fields { members["fields"] = .object(fields) }
        if let stamp { members["stamp"] = .int(stamp) }
        if let version { members["version"] = .string(version) }
        return .object(members)
    }
}

/// Returns the stamp of a time in milliseconds since a fixed time, which is about an hour before the test. A greater
/// number gives a later stamp.
package func moment(_ milliseconds: Int64) -> Int64 {
    hourAgo + milliseconds << 11
}

/// The stamp from which `moment` counts: one hour before this process first uses it. It stays the same within a
/// process, so that the results of `moment` can be compared.
private let hourAgo = Stamp(milliseconds: Timestamp.now.microseconds / 1000 - 3_600_000).rawValue
