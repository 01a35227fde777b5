import PGStore
import Postgres
import WireFormats

/// Compares the database's catalog with the objects that the migration files make and that the plans need.
extension Doctor {
    /// Adds a finding for each database object that differs from the one that the applied migrations create. Objects
    /// that another check has already reported are skipped.
    ///
    /// Also adds a finding for each difference between the tables and those that the plans need.
    func compare(
        _ ledger: Ledger, _ statuses: [MigrationStatus], _ session: Session, _ diagnosis: inout Diagnosis
    ) async throws(MigrationError) {
        let (lines, uncertain) = try done(ledger, statuses)
        for path in uncertain {
            diagnosis.unchecked.append("out-of-band changes beside \(path), which is not in order")
        }
        let schemas = lines.map { line in hubs.first { $0.schema == line.name }?.schema ?? line.name }
        let wanted: [Catalog]
        do throws(MigrationError) {
            wanted = try await migrator.catalogs(of: schemas, made: lines, beside: session)
        } catch {
            diagnosis.unchecked.append("out-of-band changes: \(error)")
            return
        }
        var known = Set(diagnosis.findings.map(\.object))
        for (schema, wanted) in zip(schemas, wanted) {
            let found = try await migrator.catalog(schema, session)
            for difference in found.differences(from: wanted) where known.insert(difference.object).inserted {
                diagnosis.findings.append(finding(difference))
            }
            // The plan is not compared with a schema that has pending migrations or was changed by hand.
            guard found == wanted, let hub = hubs.first(where: { $0.schema == schema }),
                statuses.allSatisfy({ $0.id.line != hub.schema || $0.isServable }),
                let rollout = statuses.rollouts[hub.schema]
            else { continue }
            let differences = try await migrator.asMigrationError { () throws(PGError) in
                try await Agreement.differences(of: hub, in: rollout, session)
            }
            diagnosis.findings += differences.map { difference in
                .init(
                    .plan, .error, "table \(difference.place)", "The plan needs it otherwise: \(difference.message).",
                    "Write a migration that brings it there: ‘syncserver schema sql’ drafts one.")
            }
        }
    }

    private func finding(_ difference: Catalog.Difference) -> Diagnosis.Finding {
        let fault: String
        let remedy: String
        switch (difference.expected, difference.found) {
        case (let expected?, nil):
            fault = "The files make it, and it is not there."
            let kind = difference.object.prefix { $0 != " " }
            let isStatement = ["index", "trigger", "function"].contains(kind)
            remedy =
                isStatement ? "\(Self.line(expected));" : "Make it again, as the file has it: \(Self.line(expected))"
        case (nil, _):
            fault = "No file makes it."
            remedy = "Drop it; or write the file that makes it, and ‘syncserver migrate resolve’ that it is done."
        case (let expected?, let found?):
            fault = "It is: \(Self.line(found)). The files make: \(Self.line(expected))."
            remedy =
                "Change it back by hand; or write the file that changes it, and ‘syncserver migrate resolve’ that it "
                + "is done."
        }
        return .init(.outOfBand, difference.expected == nil ? .warning : .error, difference.object, fault, remedy)
    }

    private static func line(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? "there" : words
    }

    /// Returns the migrations that the ledger records as applied, reduced to the steps that are done.
    ///
    /// A line (an ordered folder of migration files) is left out of `lines` if the effects of its files are not known
    /// for certain, for example because a step failed halfway. `uncertain` then has the path of the first such file. If
    /// that file belongs to the server's own line, `lines` is empty, because the other lines depend on it.
    private func done(
        _ ledger: Ledger, _ statuses: [MigrationStatus]
    ) throws(MigrationError) -> (lines: [MigrationLine], uncertain: [String]) {
        var lines: [MigrationLine] = []
        var uncertain: [String] = []
        for line in migrator.lines {
            let ofLine = statuses.filter { $0.id.line == line.name }
            if let doubt = ofLine.first(where: { !$0.state.isExact }) {
                uncertain.append(doubt.path)
                // The tables of the other lines build on those of the server's own line.
                if line.name == MigrationLine.serverLineName { return ([], uncertain) }
                continue
            }
            let applied = Set(ledger.files.map(\.id))
            let files = line.files.filter { applied.contains($0.id) }.map { file in
                let records = ledger.steps[file.id] ?? []
                if records.isEmpty { return file }
                return file.keeping(Set(records.filter { $0.state == .done }.map(\.number)))
            }
            if !files.isEmpty { lines.append(try MigrationLine(name: line.name, files: files)) }
        }
        return (lines, uncertain)
    }
}

extension MigrationStatus.State {
    /// True if the database is known to contain exactly the effects of the migration's completed steps. False, for
    /// example, if a step failed halfway.
    fileprivate var isExact: Bool {
        switch self {
        case .applied, .pending, .open, .failedClean: true
        case .running, .failedPartial, .changed, .missing, .outOfOrder, .future: false
        }
    }
}
