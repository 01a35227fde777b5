import Postgres
package import WireFormats

/// The content of a file to import, in one form for all kinds of files.
package struct ImportContent: Sendable {
    /// The version of the changes that do not name a version themselves, as an index in the plan's `shapes`.
    package let version: Int
    /// The unit of all positions in the file: `line` for an export, `line` or `row` for other files.
    package let positionUnit: String
    /// The time at which the app wrote the file. `nil` if the time is unknown, and for an export, because its records
    /// have stamps of their own.
    package let time: FileTime?
    package let items: [ImportItem]
    /// The lines or rows that cannot be imported, in the order of the file.
    package let faults: [ImportFault]

    /// Reads an export, or a file in a format of the app's own.
    ///
    /// - Parameters:
    ///   - stated: the time at which the app wrote the file, as the user stated it. It is used if the file does not
    ///     contain its time.
    ///   - modified: the time of the file's last modification. It is used if neither the file nor the user states a
    ///     time.
    /// - Throws: `TransferError`, if the file has neither format.
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
