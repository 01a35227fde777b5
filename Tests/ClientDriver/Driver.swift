import DemoApps
import Foundation
import StrictJSON
import SyncClient
import WireFormats

// A device of ‘syncserver compat --client’ over SyncClient: docs/testing-your-builds.md has the lines. An app's own
// driver knows its one version; this one is any version of the apps that are here.

/// Answers each line with what becomes of it.
struct Driver {
    private var store: SyncStore?
    /// The conflicts of the latest answer. Whoever sends another line has read that.
    private var told: [SyncConflict] = []
    private let ahead = ClockAhead()

    mutating func answer(_ line: JSONNode) async -> (answer: String, isLast: Bool) {
        do {
            switch line["do"]?.string {
            case "hello": return (try hello(line), false)
            case "edit": return (try await edit(line), false)
            case "sync": return (try await sync(), false)
            case "dump": return (try await dump(), false)
            case "clock":
                ahead.set(line["aheadMilliseconds"]?.int64 ?? 0)
                return (Driver.ok { _ in }, false)
            case "stop": return (Driver.ok { _ in }, true)
            case let word: return (Driver.refusal("this client does not do ‘\(word ?? "")’"), false)
            }
        } catch {
            return (Driver.refusal("\(error)"), false)
        }
    }

    private mutating func hello(_ line: JSONNode) throws -> String {
        guard let app = line["app"]?.string, let version = line["version"]?.string,
            let url = line["url"]?.string.flatMap({ URL(string: $0) }), let space = line["space"]?.string,
            let token = line["token"]?.string, let folder = line["folder"]?.string,
            let plan = DemoApps.all.first(where: { $0.app == app })
        else { return Driver.refusal("‘hello’ lacks something, or there is no such app") }
        let ahead = ahead
        store = try SyncStore(
            at: URL(filePath: folder).appending(path: "store.sqlite"), schema: try SyncSchema(plan, version: version),
            endpoint: SyncEndpoint(server: url, space: space), credentials: FixedToken(token),
            now: { ahead.now })
        return Driver.ok { writer in
            writer.key("client")
            writer.string("SyncClient")
        }
    }

    private func opened() throws -> SyncStore {
        guard let store else { throw SyncDriverError(description: "there was no ‘hello’") }
        return store
    }

    private func edit(_ line: JSONNode) async throws -> String {
        let store = try opened()
        let edits = try (line["changes"]?.elements.map(Array.init) ?? []).map { try Driver.edit($0, store.schema) }
        let isMassDeletion = line["meansToDelete"]?.bool ?? false
        try await store.write { transaction in
            transaction.isMassDeletion = isMassDeletion
            for edit in edits { try transaction.apply(edit) }
        }
        return Driver.ok { _ in }
    }

    private static func edit(_ change: JSONNode, _ schema: SyncSchema) throws -> Edit {
        guard let name = change["entity"]?.string, let id = change["id"]?.string else {
            throw SyncDriverError(description: "a change has no ‘entity’ or no ‘id’")
        }
        let key = RecordKey(entity: name, id: RecordID(id))
        let fields = try schema.fields(of: name, json: change["fields"]?.canonicalText() ?? "{}")
        switch change["op"]?.string {
        case "create": return .create(key, fields)
        case "update": return .update(key, fields)
        default: return .delete(key)
        }
    }

    private mutating func sync() async throws -> String {
        let store = try opened()
        for conflict in told { try await store.dismiss(conflict) }
        told = []
        try await store.syncOnce()
        told = try await store.conflicts()
        let conflicts = told.filter { $0.verdict != .merged }
        return Driver.ok { writer in
            writer.key("refused")
            writer.beginArray()
            for conflict in conflicts {
                writer.beginObject()
                let members = [
                    ("entity", conflict.key.entity), ("id", conflict.key.id.text),
                    ("verdict", conflict.verdict.rawValue), ("code", conflict.code ?? ""),
                    ("detail", conflict.detail ?? ""),
                ]
                for (name, text) in members {
                    writer.key(name)
                    writer.string(text)
                }
                writer.endObject()
            }
            writer.endArray()
        }
    }

    private func dump() async throws -> String {
        let store = try opened()
        var records: [(entity: String, id: RecordID, fields: String)] = []
        for entity in store.schema.entityNames {
            for (id, fields) in try await store.fields(of: entity) {
                records.append((entity, id, try store.schema.json(of: fields, entity: entity)))
            }
        }
        return Driver.ok { writer in
            writer.key("records")
            writer.beginArray()
            for (entity, id, fields) in records {
                writer.beginObject()
                writer.key("entity")
                writer.string(entity)
                writer.key("id")
                writer.string(id.text)
                writer.key("fields")
                writer.raw(json: fields)
                writer.endObject()
            }
            writer.endArray()
        }
    }

    private static func ok(_ body: (inout JSONWriter) -> Void) -> String { text(true, body) }

    private static func refusal(_ detail: String) -> String {
        text(false) { writer in
            writer.key("detail")
            writer.string(detail)
        }
    }

    private static func text(_ isOK: Bool, _ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("ok")
        writer.bool(isOK)
        body(&writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

struct SyncDriverError: Error, CustomStringConvertible {
    let description: String
}

@main enum Program {
    static func main() async throws {
        var driver = Driver()
        while let line = readLine() {
            guard let document = try? JSONDocument(parsing: line) else { continue }
            let (answer, isLast) = await driver.answer(document.root)
            try FileHandle.standardOutput.write(contentsOf: Data((answer + "\n").utf8))
            if isLast { break }
        }
    }
}
