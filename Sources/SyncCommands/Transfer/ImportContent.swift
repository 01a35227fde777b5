import Postgres
package import WireFormats

/// What a file holds for an import, whichever kind of file it is.
package struct ImportContent: Sendable {
    /// The place in the plan's `shapes` of the version that the changes are in, where they name none.
    package let version: Int
    /// What the places of items and faults count: lines of an export, rows of another file.
    package let placeName: String
    /// When it was written; `nil` of an export, in which each record has its own stamps, and where nobody knows.
    package let time: FileTime?
    package let items: [ImportItem]
    /// Lines or rows that are no records, in the order of the file.
    package let faults: [ImportFault]

    /// Reads an export, or else a file that the app itself wrote.
    ///
    /// - Parameters:
    ///   - stated: when such a file was written, where it does not say so itself.
    ///   - modified: the same, as the file system has it, where nobody states it.
    /// - Throws: `TransferError`, where it is neither.
    package init(
        _ bytes: [UInt8], plan: Plan, stated: Timestamp? = nil, modified: Timestamp? = nil
    ) throws(TransferError) {
        let bytes = try ImportContent.utf8(bytes)
        let first = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first ?? []
        if ExportHeader(line: first) != nil {
            let export = try ExportReader(bytes, plan: plan)
            (version, placeName, items, faults) = (export.version, "line", export.items, export.faults)
            time = nil
            return
        }
        guard let importer = plan.legacyImporter else {
            try ExportHeader.check(line: first, plan: plan)
            throw TransferError("The file is no export, and no older files of \(plan.app) can be read.")
        }
        let legacy: LegacyContent
        do {
            legacy = try importer.legacyContent(bytes)
        } catch {
            try ExportHeader.check(line: first, plan: plan)
            throw TransferError("The file is no export. \(error.description)")
        }
        version = plan.newest
        placeName = legacy.place.rawValue
        time = FileTime(saidByFile: legacy.writtenAt, stated: stated, modified: modified)
        let rows = LegacyRows(legacy, at: FileTime.stamp(of: bytes, writtenAt: time), plan)
        items = rows.items
        faults = (legacy.faults.map { ImportFault(place: $0.place, reason: $0.fault.description) } + rows.faults)
            .sorted { $0.place < $1.place }
    }

    private static func utf8(_ bytes: [UInt8]) throws(TransferError) -> [UInt8] {
        do throws(TextEncoding.Unreadable) {
            return try TextEncoding.utf8(bytes)
        } catch {
            throw TransferError("The file cannot be read. \(error.reason).")
        }
    }
}
