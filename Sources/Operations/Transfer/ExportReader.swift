package import WireFormats

/// Parses an export: its header and its records. Each record becomes a create with the stamp of the record's creation,
/// and an update for each other stamp of its values.
///
/// A line may also have the form of a change in a pull or a push, unless it is a deletion. A change without stamps of
/// single attributes becomes a create with the change's stamp.
package struct ExportReader: Sendable {
    /// The version of the records, as an index in the plan's `schemas`.
    package let version: Int
    package private(set) var items: [ImportItem] = []
    /// The lines that are not valid records, in the order of the file.
    package private(set) var faults: [ImportFault] = []

    /// - Throws: `TransferError`, if the first line is not the header of an export that this plan can read.
    package init(_ bytes: [UInt8], plan: Plan) throws(TransferError) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, let header = ExportHeader(line: first) else {
            throw TransferError(
                "The file is no export: its first line is not an object with app, version and fingerprint.")
        }
        version = try header.index(in: plan)
        for (index, line) in lines.enumerated().dropFirst() where !line.allSatisfy(ExportReader.isSpace) {
            do throws(TransferError) {
                let record = try ExportLine(line)
                let counters = record.entity.map { plan.counters(of: $0, in: version) } ?? []
                items.append(
                    header.hasStamps
                        ? record.history(at: index + 1, counters: counters) : record.creation(at: index + 1))
            } catch {
                faults.append(ImportFault(position: index + 1, reason: error.description))
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

extension Plan {
    /// Returns the names of those attributes of an entity that are counters (attributes whose edits are added up).
    ///
    /// - Parameters:
    ///   - entity: the entity's name in the version.
    ///   - version: the index of the version whose attribute names are returned.
    fileprivate func counters(of entity: String, in version: Int) -> Set<String> {
        guard let projection = projection(version: version, named: entity) else { return [] }
        let hub = hub.entities[projection.entity]
        if !hub.hasCounters { return [] }
        return Set(projection.fields.filter { hub.units[$0.unit].rule.policy == .counter }.map(\.name))
    }
}
