import StrictJSON
import SyncEngine
import SyncServer
import WireFormats

/// All records of a space that a new device of one version receives.
struct SpaceReading {
    let version: Schema.Version
    /// The values as canonical JSON, by entity and id, then by attribute. Members that are not attributes have names in
    /// parentheses.
    private var records: [Key: [String: String]] = [:]
    /// The sequence number that the server sent with each record.
    private(set) var numbers: [SpaceNumbers.Key: Int64] = [:]
    /// The space's head (the number of its latest change).
    private(set) var head: Int64 = 0

    private struct Key: Hashable, Comparable {
        let entity: String
        let id: String

        static func < (a: Key, b: Key) -> Bool {
            (a.entity, a.id) < (b.entity, b.id)
        }
    }

    /// Reads a space.
    ///
    /// - Parameter origins: the pushes from which records have their sequence numbers. Two databases are compared by
    ///   these pushes, not by the numbers.
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

    /// Returns a line for each attribute that differs between this reading, of a migrated database, and `other`, of a
    /// database that had the present plan from the start.
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
