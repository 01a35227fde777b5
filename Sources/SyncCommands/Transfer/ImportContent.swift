package import WireFormats

/// What a file holds for an import, whichever kind of file it is.
package struct ImportContent: Sendable {
    /// The place in the plan's `shapes` of the version that the changes are in, where they name none.
    package let version: Int
    /// What the places of items and faults count: lines of an export, rows of another file.
    package let placeName: String
    package let items: [ImportItem]
    /// Lines or rows that are no records, in the order of the file.
    package let faults: [ImportFault]

    /// Reads an export, or else a file that the app itself wrote.
    ///
    /// - Throws: `TransferError`, where it is neither.
    package init(_ bytes: [UInt8], plan: Plan) throws(TransferError) {
        if let first = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first, ExportHeader(line: first) != nil
        {
            let export = try ExportReader(bytes, plan: plan)
            (version, placeName, items, faults) = (export.version, "line", export.items, export.faults)
            return
        }
        guard let importer = plan.legacyImporter else {
            throw TransferError("The file is no export, and no older files of \(plan.app) can be read.")
        }
        let legacy: LegacyContent
        do {
            legacy = try importer.legacyContent(bytes)
        } catch {
            throw TransferError("The file is no export. \(error.description)")
        }
        version = plan.newest
        placeName = legacy.place.rawValue
        items = legacy.records.compactMap { place, record in
            ImportContent.change(record, plan).map { ImportItem(place: place, change: $0) }
        }
        faults = legacy.faults.map { ImportFault(place: $0.place, reason: $0.fault.description) }
    }

    private static func change(_ record: LegacyRecord, _ plan: Plan) -> [UInt8]? {
        let entity = plan.index(of: record.version).flatMap {
            plan.projection(version: $0, named: record.entity)?.entity
        }
        guard let id = record.id ?? entity.flatMap({ plan.hub.entities[$0].singleton }) else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("entity", record.entity)
        writer.member("id", id)
        writer.member("op", "create")
        writer.member("stamp", record.stamp.rawValue)
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
