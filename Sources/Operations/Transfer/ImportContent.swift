import Postgres
package import WireFormats

/// The content of a file for an import, for every kind of file.
package struct ImportContent: Sendable {
    /// The index in the plan's `shapes` of the changes' version, for changes that name none.
    package let version: Int
    /// The unit in which items and faults are located: lines of an export, rows of another file.
    package let positionUnit: String
    /// The time at which the file was written; `nil` for an export, in which each record has its own stamps, and if the
    /// time is unknown.
    package let time: FileTime?
    package let items: [ImportItem]
    /// The lines or rows that are no records, in the order of the file.
    package let faults: [ImportFault]

    /// Reads an export, or else a file that the app itself wrote.
    ///
    /// - Parameters:
    ///   - stated: the time at which such a file was written, if the file does not state it.
    ///   - modified: the file system's time, for use if neither is stated.
    /// - Throws: `TransferError`, if the file is neither.
    package init(
        _ bytes: [UInt8], plan: Plan, stated: Timestamp? = nil, modified: Timestamp? = nil
    ) throws(TransferError) {
        let bytes = try ImportContent.utf8(bytes)
        let first = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first ?? []
        if ExportHeader(line: first) != nil {
            let export = try ExportReader(bytes, plan: plan)
            (version, positionUnit, items, faults) = (export.version, "line", export.items, export.faults)
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
        positionUnit = legacy.positionUnit.rawValue
        time = FileTime(saidByFile: legacy.writtenAt, stated: stated, modified: modified)
        let rows = LegacyRows(legacy, at: FileTime.stamp(of: bytes, writtenAt: time), plan)
        items = rows.items
        faults = (legacy.faults.map { ImportFault(position: $0.position, reason: $0.fault.description) } + rows.faults)
            .sorted { $0.position < $1.position }
    }

    private static func utf8(_ bytes: [UInt8]) throws(TransferError) -> [UInt8] {
        do throws(TextEncoding.Unreadable) {
            return try TextEncoding.utf8(bytes)
        } catch {
            throw TransferError("The file cannot be read. \(error.reason).")
        }
    }
}
