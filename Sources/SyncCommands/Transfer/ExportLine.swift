import SyncEngine
import SyncServer
import WireFormats

/// A record in an export.
struct ExportLine {
    private let root: JSONNode
    private let members: JSONMembers
    /// The latest that was said of it.
    private let latest: Int64

    /// The version's name for what it is a record of.
    var entity: String? { root["entity"]?.string }

    /// - Throws: what is wrong with the line.
    init(_ line: ArraySlice<UInt8>) throws(TransferError) {
        do {
            root = try JSONDocument(parsing: Array(line)).root
        } catch {
            throw TransferError(error.description)
        }
        guard let members = root.members else { throw TransferError("The line is not an object.") }
        self.members = members
        if root["op"]?.string == "delete" { throw TransferError("A deletion cannot be imported.") }
        // The server would take its own clock's reading, and importing again would be another, later edit.
        guard let latest = root["stamp"]?.int64 else { throw TransferError("The line has no ‘stamp’.") }
        self.latest = latest
    }

    /// The record as one creation, which says all of it with the latest stamp.
    func creation(at place: Int) -> ImportItem {
        let change = change("create", latest) { writer in
            if let fields = root["fields"] {
                writer.key("fields")
                writer.canonical(fields)
            }
        }
        return ImportItem(place: place, change: change)
    }

    /// The record's creation, with what was said then and what nobody said; and an update for each other stamp. Of a
    /// record that nobody has created only those, each with what nobody said: the first makes it.
    ///
    /// The sum of a counter is in its creation as well: the number that it began with is a part of the sum, and must
    /// not be added once more where the creation itself arrives late.
    ///
    /// - Parameter counters: the names of the record's attributes that count.
    func history(at place: Int, counters: Set<String> = []) -> ImportItem {
        // What it is not, the reader of changes says.
        guard let fields = root["fields"]?.members else { return creation(at: place) }
        let created = root["created"]?.int64 ?? latest
        var said: [Int64: [Field]] = [:]
        for field in fields {
            let stamp = root["stamps"]?[field.key]?.int64 ?? latest
            said[stamp, default: []].append((field.key, root["absent"]?[field.key] ?? field.value))
        }
        let unsaid = said.removeValue(forKey: 0)
        let isCreated = created > 0
        if isCreated {
            let counted = said.filter { $0.key != created }.values.joined().filter { counters.contains($0.name) }
            said[created, default: []] += counted
        }
        let first = isCreated ? created : said.keys.min() ?? 1
        let atFirst = said.removeValue(forKey: first)
        let beginning = change(isCreated ? "create" : "update", first) { writer in
            write(atFirst ?? [], as: "fields", to: &writer)
            write(unsaid ?? [], as: ChangeReader.unsaid, to: &writer)
        }
        let edits = said.sorted { $0.key < $1.key }.map { stamp, fields in
            change("update", stamp) { writer in
                write(fields, as: "fields", to: &writer)
                if !isCreated { write(unsaid ?? [], as: ChangeReader.unsaid, to: &writer) }
            }
        }
        return ImportItem(place: place, change: beginning, edits: edits)
    }

    private typealias Field = (name: String, value: JSONNode)

    /// What a line has that a change has not, or in another way.
    private static let ownMembers: Set = ["op", "seq", "stamp", "created", "stamps", "absent", "fields"]

    private func change(_ operation: String, _ stamp: Int64, saying: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("op", operation)
        writer.member("stamp", stamp)
        // Whatever else there is, the reader of changes knows or refuses.
        for member in members where !ExportLine.ownMembers.contains(member.key) {
            writer.key(member.key)
            writer.canonical(member.value)
        }
        saying(&writer)
        writer.endObject()
        return writer.bytes
    }

    private func write(_ fields: [Field], as name: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.beginObject()
        for field in fields {
            writer.key(field.name)
            writer.canonical(field.value)
        }
        writer.endObject()
    }
}
