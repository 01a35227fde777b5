import StrictJSON
import SyncEngine
import SyncServer
import WireFormats

/// All records of a space, as a new device of one version receives them.
struct SpaceReading {
    let version: Schema.Version
    /// The values as canonical JSON: by entity name and id, then by attribute name. Other properties of a record, such
    /// as its stamp, have names in parentheses, such as `(stamp)`.
    private var records: [Key: [String: String]] = [:]
    /// The sequence number of each record, as the server sent it.
    private(set) var numbers: [SpaceNumbers.Key: Int64] = [:]
    /// The head of the space: the number of its latest change.
    private(set) var head: Int64 = 0

    private struct Key: Hashable, Comparable {
        let entity: String
        let id: String

        static func < (a: Key, b: Key) -> Bool {
            (a.entity, a.id) < (b.entity, b.id)
        }
    }

    /// Reads all records of a space, as a new device would.
    ///
    /// - Parameters:
    ///   - version: the device's version, as an index in the plan's `schemas`.
    ///   - origins: the pushes from which the records got their sequence numbers.
    init(of space: ID, at version: Int, by engine: SyncEngine, _ origins: SpaceNumbers) async throws {
        self.version = engine.plan.schemas[version].version
        var cursor: Cursor?
        while true {
            let caller = SyncEngine.Caller(space: space, version: version, device: nil)
            let page = try await engine.pull(after: cursor, limit: SyncEngine.pageRecordsMax, as: caller)
            let array = [UInt8(ascii: "[")] + page.changes + [UInt8(ascii: "]")]
            for change in try JSONDocument(parsing: array).root.elements.map(Array.init) ?? [] {
                let projection = engine.plan.projection(version: version, named: change["entity"]?.string ?? "")
                adopt(change, in: projection.map { engine.plan.hub.entities[$0.entity].table } ?? "", origins)
            }
            cursor = page.cursor
            head = page.head
            if !page.more { break }
        }
    }

    private mutating func adopt(_ change: JSONNode, in table: String, _ origins: SpaceNumbers) {
        var values: [String: String] = [:]
        let id = change["id"]?.string ?? ""
        for member in change.members.map(Array.init) ?? [] {
            if member.key == "seq", let number = member.value.int64 {
                let record = SpaceNumbers.Key(table: table, id: id)
                numbers[record] = number
                values["(push)"] = origins.origin(of: number, for: record)
                continue
            }
            guard member.key == "fields" else {
                values["(\(member.key))"] = member.value.canonicalText()
                continue
            }
            for field in member.value.members.map(Array.init) ?? [] { values[field.key] = field.value.canonicalText() }
        }
        records[Key(entity: change["entity"]?.string ?? "", id: id)] = values
    }

    /// Returns a line for each attribute whose value is different in `other`.
    ///
    /// - Parameter other: the records of the database that had the present plan from the start. This instance has those
    ///   of the migrated database.
    func differences(from other: SpaceReading) -> [String] {
        Set(records.keys).union(other.records.keys).sorted().flatMap { key -> [String] in
            let (here, there) = (records[key] ?? [:], other.records[key] ?? [:])
            return Set(here.keys).union(there.keys).sorted().filter { here[$0] != there[$0] }.map { name in
                "\(key.entity).\(name) at \(version) reads \(here[name] ?? "nothing") in the migrated database, "
                    + "\(there[name] ?? "nothing") at the head (\(key.id))"
            }
        }
    }
}
