import StrictJSON
import SyncClient
import WireFormats

/// A device of the compatibility test that runs a build of an app.
struct DrivenDevice: CompatDevice {
    let role: String
    let version: Int
    let schema: Schema
    let process: ClientProcess
    private(set) var store: [CompatKey: [String: Value]] = [:]
    var hasOwnClock: Bool { true }

    init(role: String, version: Int, schema: Schema, process: ClientProcess) {
        self.role = role
        self.version = version
        self.schema = schema
        self.process = process
    }

    mutating func push(_ changes: [OutgoingChange]) async throws -> [CompatRefusal] {
        try await edit(changes)
        return try refusals(try await process.ask("sync"), of: changes)
    }

    /// Makes the changes as the device's user would, which needs no network.
    func edit(_ changes: [OutgoingChange]) async throws {
        try await process.ask("edit") { writer in
            writer.key("changes")
            writer.beginArray()
            for change in changes { change.withoutStamp.write(to: &writer) }
            writer.endArray()
            // The device deletes records that it made itself, which may be most of the space.
            writer.key("meansToDelete")
            writer.bool(changes.contains { $0.operation == .delete })
        }
    }

    mutating func pull() async throws {
        try await process.ask("sync")
        try await look()
    }

    /// Asks the build for the records that the device's user sees, and stores them in `store`.
    mutating func look() async throws {
        let answer = try await process.ask("dump")
        guard let records = answer.root["records"]?.elements else {
            throw ClientProcess.Misstep(description: "the answer to ‘dump’ has no ‘records’")
        }
        store = [:]
        for record in records {
            let (key, fields) = try read(record)
            store[key] = fields
        }
    }

    private func read(_ record: JSONNode) throws -> (CompatKey, [String: Value]) {
        guard let name = record["entity"]?.string, let id = record["id"]?.string,
            let members = record["fields"]?.members
        else {
            throw ClientProcess.Misstep(description: "a record of ‘dump’ lacks ‘entity’, ‘id’ or ‘fields’")
        }
        guard let entity = schema.entity(name) else {
            throw ClientProcess.Misstep(description: "‘dump’ has a \(name), which \(schema.version) does not know")
        }
        var fields: [String: Value] = [:]
        for member in members {
            guard let field = entity.fields.first(where: { $0.name == "\(member.key)" }) else { continue }
            do {
                fields[field.name] = try ValueReader.read(member.value, as: schema.wireType(of: field))
            } catch {
                throw ClientProcess.Misstep(
                    description: "‘dump’ has \(name).\(field.name) as what it cannot be: \(error)")
            }
        }
        let isText = entity.identityType == .string
        return (
            CompatKey(entity: name, id: isText ? RecordID(id) : ID(id).map { RecordID($0) } ?? RecordID(id)), fields
        )
    }

    private func refusals(_ answer: JSONDocument, of changes: [OutgoingChange]) throws -> [CompatRefusal] {
        (answer.root["refused"]?.elements.map { Array($0) } ?? []).map { refused in
            let index = changes.firstIndex {
                $0.entity == refused["entity"]?.string && $0.id.text == refused["id"]?.string
            }
            return CompatRefusal(
                index: index ?? 0, verdict: refused["verdict"]?.string ?? "refused", code: refused["code"]?.string,
                detail: refused["detail"]?.string)
        }
    }
}

extension OutgoingChange {
    /// The change without a stamp, for a device with a clock of its own.
    fileprivate var withoutStamp: OutgoingChange {
        OutgoingChange(entity: entity, id: id, operation: operation, stamp: nil, fields: fields)
    }
}
