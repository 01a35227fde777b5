import WireFormats

/// One row of `sync.migration`: a migration of which at least one step is done.
package struct LedgerRow: Sendable, Hashable {
    let id: MigrationID
    let name: String
    let checksum: String
    let appliedAt: Timestamp
}
