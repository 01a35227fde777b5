import StrictJSON
import WireFormats

/// The rows of a file in the app's own format, converted to changes that all have the same stamp. If the file has
/// several rows for one record, only the last is converted.
struct LegacyRows {
    private(set) var items: [ImportItem] = []
    /// The rows that were not converted, because a later row of the file is for the same record.
    private(set) var faults: [ImportFault] = []

    private struct Key: Hashable {
        let entity: Int
        let id: ID
    }

    init(_ content: LegacyContent, at stamp: Stamp, _ plan: Plan) {
        var last: [Key: (position: Int, changes: [[UInt8]])] = [:]
        var rows: [(position: Int, key: Key?, changes: [[UInt8]])] = []
        for (position, records) in content.rows {
            let changes = records.compactMap { LegacyRows.change($0, at: stamp, plan) }
            let key = records.first.flatMap { LegacyRows.key(of: $0, plan) }
            if let key { last[key] = (position, changes) }
            rows.append((position, key, changes))
        }
        for (position, key, changes) in rows {
            // Equal stamps are decided attribute by attribute, and a mixture of two rows is in neither.
            if let key, let taken = last[key], taken.position != position, taken.changes != changes {
                let reason =
                    "The \(content.positionUnit.rawValue) \(taken.position) is of the same record, and is taken."
                faults.append(ImportFault(position: position, reason: reason))
                continue
            }
            items += changes.map { ImportItem(position: position, change: $0) }
        }
    }

    private static func key(of record: LegacyRecord, _ plan: Plan) -> Key? {
        let projection = plan.index(of: record.version).flatMap { plan.projection(version: $0, named: record.entity) }
        guard let projection, let id = record.id ?? plan.hub.entities[projection.entity].singleton else { return nil }
        return Key(entity: projection.entity, id: id)
    }

    private static func change(_ record: LegacyRecord, at stamp: Stamp, _ plan: Plan) -> [UInt8]? {
        guard let id = record.id ?? key(of: record, plan)?.id else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("entity", record.entity)
        writer.member("id", id)
        writer.member("op", "create")
        writer.member("stamp", stamp.rawValue)
        writer.member("version", record.version.description)
        writer.key("fields")
        writer.beginObject()
        for field in record.fields {
            writer.key(field.name)
            writer.value(field.value)
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
