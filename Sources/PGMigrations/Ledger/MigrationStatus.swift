import PGStore
import Postgres
package import WireFormats

/// The state of one migration, from a comparison of the files with the database's ledger.
package struct MigrationStatus: Sendable, Hashable {
    package let id: MigrationID
    package let name: String
    package let state: State
    /// The ledger's records of the migration's steps, in their order.
    package let records: [StepRecord]
    /// The latest resolution by an operator; `nil` if there is none.
    package internal(set) var resolution: MigrationResolution?

    /// The states of a migration, as derived from the files and the ledger.
    package enum State: Sendable, Hashable {
        case applied(at: Timestamp)
        case pending
        /// Some steps are done, and the next one has not begun.
        case open(next: MigrationStep.Phase)
        /// A migration run is executing the step of this phase now.
        case running(MigrationStep.Phase)
        /// A step failed, or its run was ended; none of the step's changes are left.
        case failedClean(MigrationStep.Phase)
        /// A step failed, or its run was ended, in the middle. The next run continues from that point.
        case failedPartial(MigrationStep.Phase)
        /// The migration is applied, and its file has changed since.
        case changed
        /// The migration is in the ledger, but not on disk.
        case missing
        /// The migration is pending, though a later number of its line has been applied.
        case outOfOrder
        /// The migration is in the ledger with a higher number than all on disk: the database is ahead of this release.
        case future
    }

    /// The path of the file: `sync/0001-create-space.sql`.
    package var path: String { MigrationFile.path(id, name) }

    /// True if a server that knows this migration may serve: all of its steps are done, except perhaps contract steps.
    package var isServable: Bool {
        switch state {
        case .applied, .future: true
        case .open(next: .contract), .running(.contract), .failedClean(.contract), .failedPartial(.contract): true
        default: false
        }
    }

    package var isApplied: Bool { if case .applied = state { true } else { false } }
}

extension MigrationStatus.State {
    /// The state's name in output for people and for programs.
    package var name: String {
        switch self {
        case .applied: "applied"
        case .pending: "pending"
        case .open(let next): "\(next)-pending"
        case .running: "running"
        case .failedClean: "failed-clean"
        case .failedPartial: "failed-partial"
        case .changed: "changed"
        case .missing: "missing"
        case .outOfOrder: "out-of-order"
        case .future: "future"
        }
    }
}

extension MigrationStatus.State {
    /// A sentence on what to do next; `nil` if there is nothing to do.
    package var advice: String? {
        switch self {
        case .applied, .pending, .running: nil
        case .open(next: .contract): "‘syncserver migrate up --contract’, once no server of before is at work."
        case .open(next: .backfill): "‘syncserver migrate backfill’, or ‘up’, goes on."
        case .open: "‘syncserver migrate up’ goes on."
        case .failedClean: "Nothing of the step was kept. Fix its cause, then ‘syncserver migrate up’."
        case .failedPartial(.backfill): "‘syncserver migrate backfill’, or ‘up’, goes on where it stopped."
        case .failedPartial: "‘syncserver migrate up’ goes on where it stopped."
        case .changed: "Restore the file; or bless the edit in it with ‘-- accepts: ’ and the old checksum."
        case .missing: "Restore the file, or use the release that has it."
        case .outOfOrder: "Renumber it to come after the last."
        case .future: "Use the release that has it."
        }
    }
}

extension [MigrationStatus] {
    /// The progress of each line of migrations, by the line's name. It tells if the database is ahead of this release,
    /// and if contract steps (which remove old objects) still have to run.
    var rollouts: [String: Agreement.Rollout] {
        Dictionary(grouping: self, by: \.id.line).mapValues { statuses in
            Agreement.Rollout(
                isAhead: statuses.contains { $0.state == .future },
                hasContractsLeft: statuses.contains { !$0.isApplied && $0.state != .future })
        }
    }
}

extension MigrationStatus {
    /// Returns the state of each migration that is on disk, in the ledger or in both. The migrations are in the order
    /// of `lines`, followed by those of lines that only the ledger contains.
    ///
    /// - Parameter isRunning: true if a migration run is active, so that an unfinished step may still be in progress.
    package static func compare(
        _ lines: [MigrationLine], with ledger: Ledger, isRunning: Bool = false
    ) -> [MigrationStatus] {
        let known = Set(lines.map(\.name))
        let unknownLines = Set(ledger.files.map(\.id.line)).subtracting(known).sorted()
        return lines.flatMap { line in compareLine(line.name, line.files, with: ledger, isRunning) }
            + unknownLines.flatMap { name in compareLine(name, [], with: ledger, isRunning) }
    }

    private static func compareLine(
        _ line: String, _ files: [MigrationFile], with ledger: Ledger, _ isRunning: Bool
    ) -> [MigrationStatus] {
        let ledgerRows = ledger.files.filter { $0.id.line == line }
        let rows = Dictionary(ledgerRows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let lastApplied = ledgerRows.map(\.id.number).max() ?? 0
        let onDisk = files.map { file in
            let records = ledger.steps[file.id] ?? []
            let state: State
            if let row = rows[file.id] {
                if row.checksum == file.checksum {
                    state = progress(of: file, records, row, isRunning)
                } else {
                    state = file.accepted.contains(row.checksum) ? .applied(at: row.appliedAt) : .changed
                }
            } else if file.id.number < lastApplied {
                state = .outOfOrder
            } else {
                state = records.first.map { self.state(of: file.steps[0], $0, isRunning) } ?? .pending
            }
            return MigrationStatus(id: file.id, name: file.name, state: state, records: records)
        }
        let present = Set(files.map(\.id))
        let lastOnDisk = files.last?.id.number ?? 0
        let unknownFiles = ledgerRows.filter { !present.contains($0.id) }.map { row in
            MigrationStatus(
                id: row.id, name: row.name, state: row.id.number > lastOnDisk && !files.isEmpty ? .future : .missing,
                records: ledger.steps[row.id] ?? [])
        }
        return (onDisk + unknownFiles).sorted { $0.id.number < $1.id.number }
    }

    /// Returns the state of a migration that is partly or fully applied.
    private static func progress(
        of file: MigrationFile, _ records: [StepRecord], _ row: LedgerRow, _ isRunning: Bool
    ) -> State {
        if records.isEmpty { return .applied(at: row.appliedAt) }
        let byNumber = Dictionary(records.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        guard let next = file.steps.first(where: { byNumber[$0.number]?.state != .done }) else {
            return .applied(at: row.appliedAt)
        }
        return byNumber[next.number].map { state(of: next, $0, isRunning) } ?? .open(next: next.phase)
    }

    /// Returns the state of a migration with a step that was begun and is not done.
    private static func state(of step: MigrationStep, _ record: StepRecord, _ isRunning: Bool) -> State {
        if record.state == .running, isRunning { return .running(step.phase) }
        return step.mode == .transaction ? .failedClean(step.phase) : .failedPartial(step.phase)
    }
}
