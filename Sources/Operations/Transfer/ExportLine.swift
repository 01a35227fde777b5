import StrictJSON
import SyncEngine
import WireFormats

/// A record in an export.
struct ExportLine {
    private let root: JSONNode
    private let members: JSONMembers
    /// The latest of the record's stamps.
    private let latest: Int64

    /// The name that the record's entity has in the version of the export; `nil` if the line has no such name.
    var entity: String? { root["entity"]?.string }

    /// - Throws: the reason why the line cannot be imported.
    init(_ line: ArraySlice<UInt8>) throws(TransferError) {
        do {
            root = try JSONDocument(parsing: Array(line)).root
        } catch {
            throw TransferError(error.description)
        }
        guard let members = root.members else { throw TransferError("The line is not an object.") }
        self.members = members
        if root["op"]?.string == "delete" { throw TransferError("A deletion cannot be imported.") }
        // The server would use its own clock, and importing again would make another, later edit.
        guard let latest = root["stamp"]?.int64 else { throw TransferError("The line has no ‘stamp’.") }
        self.latest = latest
    }

    /// Returns the record as a single change, which creates it with all its values and the latest stamp.
    ///
    /// - Parameter position: the number of the line in the file, from 1.
    func creation(at position: Int) -> ImportItem {
        let change = change("create", latest) { writer in
            if let fields = root["fields"] {
                writer.key("fields")
                writer.canonical(fields)
            }
        }
        return ImportItem(position: position, change: change)
    }

    /// Returns the record as several changes, one for each stamp of its attributes. The first is a create with the
    /// stamp of the record's creation. Each further change is an update with another stamp, and contains the values
    /// that have this stamp.
    ///
    /// The create also contains the values that have no stamp. If the creation's stamp is unknown, there are only
    /// updates. Each of them then contains the values without a stamp, because the update that is merged first makes
    /// the record.
    ///
    /// A counter that was changed later is in the create, too, with its whole sum. The counter's first value is a part
    /// of this sum, so it must not be added again if the device's own create arrives after the import.
    ///
    /// - Parameters:
    ///   - position: the number of the line in the file, from 1.
    ///   - counters: the names of the record's attributes that are counters.
    func history(at position: Int, counters: Set<String> = []) -> ImportItem {
        // The reader of changes reports other forms.
        guard let fields = root["fields"]?.members else { return creation(at: position) }
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
        return ImportItem(position: position, change: beginning, edits: edits)
    }

    private typealias Field = (name: String, value: JSONNode)

    /// The JSON members of an export line that are not copied into a change. A change does not have these members, or
    /// has them in another form.
    private static let ownMembers: Set = ["op", "seq", "stamp", "created", "stamps", "absent", "fields"]

    private func change(_ operation: String, _ stamp: Int64, saying: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("op", operation)
        writer.member("stamp", stamp)
        // The reader of changes knows or refuses all other members.
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
