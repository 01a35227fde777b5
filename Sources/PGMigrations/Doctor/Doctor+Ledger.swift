import PGStore
import Postgres

/// Findings about the ledger (the table of applied migrations), about databases that killed runs left behind, and about
/// the census (the record of the app version that each device uses).
extension Doctor {
    func statuses(_ statuses: [MigrationStatus]) -> [Diagnosis.Finding] {
        let known = Set(migrator.lines.map(\.name))
        return statuses.compactMap { status in
            guard let advice = status.state.advice else { return nil }
            let fault: String
            var severity = Diagnosis.Severity.error
            switch status.state {
            case .failedClean, .failedPartial:
                let error = status.records.first { !$0.error.isEmpty }?.error
                fault = "A step failed, or its run was ended\(error.map { ": \($0)" } ?? ".")"
            case .changed: fault = "The file is not what was applied."
            case .outOfOrder: fault = "A later file is applied, and this one is not."
            case .future:
                fault = "A newer release has applied it; what that needs, this one cannot tell."
                severity = .warning
            case .missing where !known.contains(status.id.line):
                fault = "It is applied, and this release has no files of its line."
                severity = .warning
            case .missing: fault = "It is applied, and its file is not here."
            default: return nil
            }
            return .init(.ledger, severity, "migration \(status.path) (\(status.state.name))", fault, advice)
        }
    }

    func leftovers(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        try ScratchDatabase.leftovers(session).map { name in
            .init(
                .leftover, .warning, "database \(name)",
                "A run that was killed has left it; a rehearsal's has a copy of every row.",
                "DROP DATABASE \(name) WITH (FORCE); or the next ‘syncserver migrate rehearse’.")
        }
    }

    /// Warns if the census, the table of the app versions that devices use, was never kept. A database without any
    /// space is not checked, because it may not have been served yet.
    func census(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let tables = try session.execute(
            Command("SELECT to_regclass('sync.census') IS NOT NULL AND to_regclass('sync.directory') IS NOT NULL"))
        guard tables.bool(0, 0) else { return [] }
        let hasSpaces = try session.execute(Command("SELECT EXISTS (SELECT FROM sync.directory)")).bool(0, 0)
        guard hasSpaces, try session.execute(CensusTable.since).count == 0 else { return [] }
        return [
            .init(
                .census, .warning, "census",
                "No server has kept it since this database is what it is, so no contract that asks it can ever run.",
                "Let ‘syncserver serve’ of this release serve it: that keeps the census.")
        ]
    }
}
