package import PGStore
package import Postgres
import Synchronization
package import WireFormats

extension Migrator {
    /// Does in a copy of the database what `up` would do in it, and drops the copy.
    ///
    /// What a contract requires is not asked: the copy has neither servers nor a census of its own.
    ///
    /// - Parameters:
    ///   - schemas: where the lines' tables are; nothing else is copied.
    ///   - bytesFree: how much room the server has, where that is known.
    ///   - hubs: whose tables are looked through for rows of which devices could not be told. That there are more
    ///     afterwards is a failure.
    ///   - check: asked of the copy in the end, where every line was run to its end: why no server would start there.
    /// - Throws: what keeps it from being tried: what `plan` throws; `busy` while a run is at work;
    ///   `noScratchDatabase`, `notCopied`, `pooled`; `cancelled`, once the copy is gone. What fails in the copy is in
    ///   what is returned.
    package func rehearse(
        to target: MigrationID? = nil, contracts: ContractPolicy = .hold, schemas: [String], bytesFree: Int64? = nil,
        hubs: [Hub] = [],
        check: @escaping @Sendable (ConnectionString) async -> String? = { _ in nil },
        report: @escaping @Sendable (MigrationEvent) -> Void = { _ in }
    ) async throws(MigrationError) -> MigrationRehearsal {
        try await withSession { session throws(MigrationError) in
            try await PoolerProbe.refuse(session, string)
            for name in try await database({ () throws(PGError) in try await ScratchDatabase.dropLeftovers(session) }) {
                report(.cleared(database: name))
            }
            let forecast = try await plan(to: target)
            let runs = forecast.steps.contains {
                forecast.isNew || contracts == .run || $0.step.phase != .contract
            }
            guard runs else { return MigrationRehearsal() }
            let holders = try await database { () throws(PGError) in try await RunnerLock.holders(session) }
            guard holders.isEmpty else { throw .busy(holders: holders) }
            let bytes = try await database { () throws(PGError) in
                try await DatabaseCopy.size(of: schemas, session)
            }
            if let bytesFree, bytesFree < bytes {
                throw .notCopied(
                    "The copy takes about \(bytes >> 20) MB, and only \(bytesFree >> 20) MB are free where the "
                        + "database is. Make room, or rehearse where there is.")
            }
            return try await ScratchDatabase.with(for: .rehearsal, beside: string, session) {
                place throws(MigrationError) in
                var rehearsal = MigrationRehearsal()
                rehearsal.bytes = bytes
                let start = ContinuousClock.now
                report(.copying(done: 0, all: bytes))
                let copy = DatabaseCopy(of: string, in: place, role: role, schemas: schemas)
                try await copy.make(session) { report(.copying(done: min($0, bytes), all: bytes)) }
                rehearsal.copying = ContinuousClock.now - start
                report(.copied(rehearsal.copying))
                let migrator = Migrator(place, role: role, lines: lines, tables: tables, limits: limits)
                try await migrator.run(&rehearsal, to: target, contracts, hubs, check, report)
                return rehearsal
            }
        }
    }

    /// What the rows of these apps hold that no device can be sent. Reads all of their tables.
    ///
    /// - Throws: `database`.
    package func unsendableValues(of hubs: [Hub]) async throws(MigrationError) -> [UnsendableValues.Finding] {
        if hubs.isEmpty { return [] }
        return try await withSession { session throws(MigrationError) in
            try await database { () throws(PGError) in
                var found: [UnsendableValues.Finding] = []
                for hub in hubs { found += try await UnsendableValues(hub).find(session) }
                return found
            }
        }
    }

    /// In the copy.
    private func run(
        _ rehearsal: inout MigrationRehearsal, to target: MigrationID?, _ contracts: ContractPolicy, _ hubs: [Hub],
        _ check: @Sendable (ConnectionString) async -> String?, _ report: @escaping @Sendable (MigrationEvent) -> Void
    ) async throws(MigrationError) {
        let forecast = try await plan(to: target)
        let watch = RehearsalWatch()
        do throws(MigrationError) {
            let before = try await unsendableValues(of: hubs)
            rehearsal.held = try await up(
                to: target, contracts: contracts, gate: { _, _, _ in nil },
                report: { event in
                    watch.take(event)
                    report(event)
                }
            ).held
            try await verify(report: report)
            rehearsal.unsendable = try await unsendableValues(of: hubs)
            rehearsal.failure = rehearsal.unsendable.first { found in
                found.count > before.first { ($0.table, $0.column) == (found.table, found.column) }?.count ?? 0
            }.map { "\($0.description), and before there were fewer. Correct the step that fills the column." }
            if target == nil, rehearsal.failure == nil { rehearsal.failure = await check(string) }
        } catch {
            rehearsal.failure = error.description
        }
        // Not what failed because its database was taken away.
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

/// Takes down how long the steps of a run take.
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

    /// Those that were begun, in their order.
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
