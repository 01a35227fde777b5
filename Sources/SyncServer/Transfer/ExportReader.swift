package import WireFormats

/// Reads an export back: its header, and a create of each record with the stamp that it had.
///
/// Any change of a pull or a push will do, but for a deletion.
package struct ExportReader: Sendable {
    /// The place in the plan's `schemas` of the version that the file is in.
    package let version: Int
    package private(set) var items: [ImportItem] = []
    /// Lines that are no records, in the order of the file.
    package private(set) var faults: [ImportFault] = []

    /// - Throws: `TransferError`, where the first line is not the header of an export that this plan can read.
    package init(_ bytes: [UInt8], plan: Plan) throws(TransferError) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, let header = ExportHeader(line: first) else {
            throw TransferError(
                "The file is no export: its first line is not an object with app, version and fingerprint.")
        }
        version = try header.place(in: plan)
        for (index, line) in lines.enumerated().dropFirst() where !line.allSatisfy(ExportReader.isSpace) {
            switch ExportReader.change(line) {
            case .success(let change): items.append(ImportItem(place: index + 1, change: change))
            case .failure(let error): faults.append(ImportFault(place: index + 1, reason: error.description))
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private static func change(_ line: ArraySlice<UInt8>) -> Result<[UInt8], TransferError> {
        let root: JSONNode
        do {
            root = try JSONDocument(parsing: Array(line)).root
        } catch {
            return .failure(TransferError(error.description))
        }
        guard let members = root.members else { return .failure(TransferError("The line is not an object.")) }
        if root["op"]?.string == "delete" {
            return .failure(TransferError("A deletion cannot be imported."))
        }
        // The server would take its own clock's reading, and importing again would be another, later edit.
        guard root["stamp"]?.int64 != nil else { return .failure(TransferError("The line has no ‘stamp’.")) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("op")
        writer.string("create")
        for member in members where member.key != "op" && member.key != "seq" {
            writer.key(member.key)
            writer.canonical(member.value)
        }
        writer.endObject()
        return .success(writer.bytes)
    }
}
