import Postgres
import SQLText

extension Migrator {
    /// Returns the steps that `up` would run now with the same target. Changes nothing, and waits for no lock.
    ///
    /// - Parameter gate: evaluates the conditions of contract steps. Its transaction is rolled back.
    /// - Throws: an error that would keep `up` from running anything; `database` if a query fails.
    package func plan(
        to target: MigrationID? = nil, gate: Gate? = nil
    ) async throws(MigrationError) -> MigrationForecast {
        try await withSession { session throws(MigrationError) in
            try await DatabaseFitness.check(session)
            let found = try await ledger(session)
            let isNew = found.files.isEmpty
            var steps: [MigrationForecast.Step] = []
            for pendingStep in try checkedPending(found, upTo: target) {
                let conditions =
                    isNew || !pendingStep.waitsForServers ? [] : try await conditions(of: pendingStep, gate, session)
                let forecast = try await asMigrationError { () throws(PGError) in
                    try await Migrator.forecast(pendingStep, conditions, session)
                }
                steps.append(forecast)
            }
            return MigrationForecast(isNew: isNew, steps: steps)
        }
    }

    private static func forecast(
        _ pendingStep: PendingStep, _ conditions: [MigrationForecast.Condition], _ session: isolated Session
    ) throws(PGError) -> MigrationForecast.Step {
        var locks: [MigrationForecast.Lock] = []
        for lock in pendingStep.step.statements.flatMap(\.locks).merged where lock.table != pendingStep.step.batchName {
            guard let extent = try TableExtent.read(lock.table, session) else { continue }
            locks.append(.init(lock: lock, extent: extent))
        }
        return MigrationForecast.Step(
            file: pendingStep.file, step: pendingStep.step, locks: locks, rows: rows(of: pendingStep, locks),
            conditions: conditions)
    }

    /// Estimates the number of rows that the step has still to change.
    private static func rows(of pendingStep: PendingStep, _ locks: [MigrationForecast.Lock]) -> Int64? {
        if let record = pendingStep.record, record.rowsAll > 0 { return max(0, record.rowsAll - record.rowsDone) }
        if pendingStep.step.isRepublishing, pendingStep.step.runsCode { return nil }
        var sum: Int64 = 0
        let rewritten = pendingStep.step.statements.rewrittenColumns.map(\.table)
        for table in Set(pendingStep.step.changedTables + rewritten) {
            // A table that does not exist yet has no rows.
            guard let extent = locks.first(where: { $0.lock.table == table })?.extent else { continue }
            guard let rows = extent.rows else { return nil }
            sum += rows
        }
        return sum
    }

    private func conditions(
        of pendingStep: PendingStep, _ gate: Gate?, _ session: Session
    ) async throws(MigrationError) -> [MigrationForecast.Condition] {
        var conditions: [MigrationForecast.Condition] = []
        for requirement in pendingStep.step.requirements {
            conditions.append(
                .init(text: requirement, obstacle: try await answer(requirement, pendingStep, gate, session)))
        }
        let id = pendingStep.file.id
        let present = try await asMigrationError { () throws(PGError) in
            try await ServingLevel.present(below: id.number, of: id.line, session)
        }
        let obstacle = present.isEmpty ? nil : "\(ServingLevel.obstacle(present, of: id.line))."
        return conditions + [
            .init(text: "no server at work that ends before \(id.line)/\(id.number)", obstacle: obstacle)
        ]
    }

    private func answer(
        _ requirement: String, _ pendingStep: PendingStep, _ gate: Gate?, _ session: Session
    ) async throws(MigrationError) -> String? {
        guard let gate else { return "It requires ‘\(requirement)’." }
        return try await asMigrationError { () throws(PGError) in
            try await session.runScript("BEGIN")
            let answer: Result<String?, PGError>
            do throws(PGError) {
                answer = .success(try await gate(requirement, pendingStep.file, session))
            } catch {
                answer = .failure(error)
            }
            try await session.runScript("ROLLBACK")
            // The condition reads tables that pending files are yet to make.
            if case .failure(let error) = answer, error.isMissingTable {
                return "It can be told only when what comes before is done."
            }
            return try answer.get()
        }
    }
}
