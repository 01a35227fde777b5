package import WireFormats

/// How one migration stands, comparing the files with the database's ledger.
package struct MigrationStatus: Sendable, Hashable {
    package let id: MigrationID
    package let name: String
    package let state: State

    /// What the files and the ledger together say of it.
    package enum State: Sendable, Hashable {
        case applied(at: Timestamp)
        case pending
        /// Applied, and its file has changed since.
        case changed
        /// In the ledger, not on disk.
        case missing
        /// Pending, though a later number of its line has been applied.
        case outOfOrder
    }

    /// `sync/0001-create-space.sql`.
    package var path: String { MigrationFile.path(id, name) }
}

extension MigrationStatus {
    /// Every file of `lines` and every row of `ledger`: the lines in their order, then lines that only the
    /// ledger knows; by number within each.
    static func compare(_ lines: [MigrationLine], with ledger: [LedgerRow]) -> [MigrationStatus] {
        let known = Set(lines.map(\.name))
        let strangers = Set(ledger.map(\.id.line)).subtracting(known).sorted()
        return lines.flatMap { line in compareLine(line.files, with: ledger.filter { $0.id.line == line.name }) }
            + strangers.flatMap { name in compareLine([], with: ledger.filter { $0.id.line == name }) }
    }

    private static func compareLine(_ files: [MigrationFile], with ledger: [LedgerRow]) -> [MigrationStatus] {
        let rows = Dictionary(uniqueKeysWithValues: ledger.map { ($0.id, $0) })
        let lastApplied = ledger.map(\.id.number).max() ?? 0
        let onDisk = files.map { file in
            let state: State =
                if let row = rows[file.id] {
                    row.checksum == file.checksum ? .applied(at: row.appliedAt) : .changed
                } else {
                    file.id.number < lastApplied ? .outOfOrder : .pending
                }
            return MigrationStatus(id: file.id, name: file.name, state: state)
        }
        let present = Set(files.map(\.id))
        let missing = ledger.filter { !present.contains($0.id) }
            .map { MigrationStatus(id: $0.id, name: $0.name, state: .missing) }
        return (onDisk + missing).sorted { $0.id.number < $1.id.number }
    }
}
