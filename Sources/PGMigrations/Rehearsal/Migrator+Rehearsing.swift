package import PGStore
package import Postgres
import Synchronization
package import WireFormats

extension Migrator {
    /// Runs the pending files in a copy of the database, as `up` would run them in the original. Then drops the copy.
    ///
    /// The conditions of contract steps are not checked, because no servers and no devices use the copy.
    ///
    /// - Parameters:
    ///   - schemas: the schemas that contain the tables of the migration lines. Nothing else is copied.
    ///   - bytesFree: the free disk space of the server, in bytes; `nil` if unknown.
    ///   - hubs: the apps whose tables are searched for values that cannot be sent to any device. The rehearsal fails
    ///     if there are more such values afterwards.
    ///   - check: called with the copy at the end, if all files ran without an error. It returns the reason why a
    ///     server could not start on the copy, or `nil` if one could.
    /// - Throws: an error if the files could not be tried at all: the errors of `plan`; `busy` during another migration
    ///   run; `noScratchDatabase`, `notCopied`, `pooled`; `cancelled`. A file that fails in the copy is no error here:
    ///   the result describes the failure.
    package func rehearse(
        to target: MigrationID? = nil, contracts: ContractPolicy = .hold, schemas: [String], bytesFree: Int64? = nil,
        hubs: [Hub] = [],
        check: @escaping @Sendable (ConnectionString) async -> String? = { _ in nil },
        report: @escaping @Sendable (MigrationEvent) -> Void = { _ in }
    ) async throws(MigrationError) -> MigrationRehearsal {
        try await withSession { session throws(MigrationError) in
            try await PoolerProbe.refuse(session, string)
            for name in try await asMigrationError({ () throws(PGError) in
                try await ScratchDatabase.dropLeftovers(session)
            }) {
                report(.cleared(database: name))
            }
            let forecast = try await plan(to: target)
            let runs = forecast.steps.contains {
                forecast.isNew || contracts == .run || $0.step.phase != .contract
            }
            guard runs else { return MigrationRehearsal() }
            let holders = try await asMigrationError { () throws(PGError) in try await RunnerLock.holders(session) }
            guard holders.isEmpty else { throw .busy(holders: holders) }
            let bytes = try await asMigrationError { () throws(PGError) in
                try await DatabaseCopy.size(of: schemas, session)
            }
            if let bytesFree, bytesFree < bytes {
                throw .notCopied(
                    "The copy takes about \(bytes >> 20) MB, and only \(bytesFree >> 20) MB are free where the "
                        + "database is. Make room, or rehearse where there is.")
            }
            return try await ScratchDatabase.with(for: .rehearsal, beside: string, session) {
                scratch throws(MigrationError) in
                var rehearsal = MigrationRehearsal()
                rehearsal.bytes = bytes
                let start = ContinuousClock.now
                report(.copying(done: 0, all: bytes))
                let copy = DatabaseCopy(of: string, in: scratch, role: role, schemas: schemas)
                try await copy.make(session) { report(.copying(done: min($0, bytes), all: bytes)) }
                rehearsal.copying = ContinuousClock.now - start
                report(.copied(rehearsal.copying))
                let migrator = Migrator(scratch, role: role, lines: lines, tables: tables, limits: limits)
                try await migrator.run(&rehearsal, to: target, contracts, hubs, check, report)
                return rehearsal
            }
        }
    }

    /// Finds the values in the tables of these apps that cannot be sent to any device. Reads all rows of the tables.
    ///
    /// - Throws: `database`.
    package func unsendableValues(of hubs: [Hub]) async throws(MigrationError) -> [UnsendableValues.Finding] {
        if hubs.isEmpty { return [] }
        return try await withSession { session throws(MigrationError) in
            try await asMigrationError { () throws(PGError) in
                var found: [UnsendableValues.Finding] = []
                for hub in hubs { found += try await UnsendableValues(hub).find(session) }
                return found
            }
        }
    }

    /// Runs the pending files and stores the results in `rehearsal`. Called on a migrator whose database is the copy.
    private func run(
        _ rehearsal: inout MigrationRehearsal, to target: MigrationID?, _ contracts: ContractPolicy, _ hubs: [Hub],
        _ check: @Sendable (ConnectionString) async -> String?, _ report: @escaping @Sendable (MigrationEvent) -> Void
    ) async throws(MigrationError) {
        let forecast = try await plan(to: target)
        let watch = RehearsalWatch()
        do throws(MigrationError) {
            let before = try await unsendableValues(of: hubs)
            rehearsal.left = try await up(
                to: target, contracts: contracts, gate: { _, _, _ in nil },
                report: { event in
                    watch.take(event)
                    report(event)
                }
            ).left
            try await verify(report: report)
            rehearsal.unsendable = try await unsendableValues(of: hubs)
            rehearsal.failure = rehearsal.unsendable.first { found in
                found.count > before.first { ($0.table, $0.column) == (found.table, found.column) }?.count ?? 0
            }.map { "\($0.description), and before there were fewer. Correct the step that fills the column." }
            if target == nil, rehearsal.failure == nil { rehearsal.failure = await check(string) }
        } catch {
            rehearsal.failure = error.description
        }
        // A cancelled rehearsal is no failure of the files: its database was dropped early.
        if Task.isCancelled { throw .cancelled }
        let records = try await withSession { session throws(MigrationError) in try await ledger(session).steps }
        rehearsal.steps = watch.steps(of: forecast).map { step in
            var step = step
            if case .batches = step.forecast.step.mode {
                let record = records[step.forecast.file.id]?.first { $0.number == step.forecast.step.number }
                step.rows = record?.rowsDone
            } else if step.forecast.changesRows {
                step.rows = step.forecast.rows
            }
            return step
        }
    }
}

/// Records the times that the steps of a run take.
private final class RehearsalWatch: Sendable {
    private let seen = Mutex<Seen>(Seen())

    private struct Seen {
        var began: [StepName] = []
        var took: [StepName: Duration] = [:]
        var transactions: [StepName: [(statement: Int?, held: Duration)]] = [:]
    }

    func take(_ event: MigrationEvent) {
        seen.withLock { seen in
            switch event {
            case .began(let step, 1): seen.began.append(step)
            case .finished(let step, let length): seen.took[step] = length
            case .committed(let step, let statement, let held):
                seen.transactions[step, default: []].append((statement, held))
            default: break
            }
        }
    }

    /// Returns the steps that were begun, in the order in which they began, each with its duration.
    func steps(of forecast: MigrationForecast) -> [MigrationRehearsal.Step] {
        seen.withLock { seen in
            seen.began.compactMap { name in
                guard let planned = forecast.steps.first(where: { $0.name == name }) else { return nil }
                var step = MigrationRehearsal.Step(planned, transactions: seen.transactions[name] ?? [])
                step.took = seen.took[name]
                return step
            }
        }
    }
}
