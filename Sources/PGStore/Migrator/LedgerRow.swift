import WireFormats

/// One row of `sync.migration`: a migration that was applied.
struct LedgerRow: Sendable, Hashable {
    let id: MigrationID
    let name: String
    let checksum: String
    let appliedAt: Timestamp
}
