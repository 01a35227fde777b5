import PGStore
import Postgres

extension Migrator {
    /// Records an operator's decision (the verdict) about a migration that was not finished, with a reason.
    ///
    /// The verdict `applied` marks the remaining steps as done. Verify steps among them run first and must succeed.
    /// Contract steps are marked only if no other step remains.
    ///
    /// The verdict `pending` removes the record of the step that failed halfway, so that the step runs again from its
    /// beginning.
    ///
    /// - Returns: the steps to which the verdict was applied.
    /// - Throws: an error if the verdict does not fit: `unresolvable`, `noSuchTarget`, `changed`, `outOfOrder`,
    ///   `unverified`, `failed`. Nothing is recorded then. Also throws `busy` during a migration run, `pooled` and
    ///   `database`.
    package func resolve(
        _ id: MigrationID, as verdict: MigrationResolution.Verdict, because: String, who: String
    ) async throws(MigrationError) -> [StepName] {
        try await exclusively { session throws(MigrationError) in
            guard let file = lines.flatMap(\.files).first(where: { $0.id == id }) else { throw .noSuchTarget(id) }
            let found = try await ledger(session)
            let steps =
                switch verdict {
                case .applied: try stepsToFinish(of: file, found)
                case .pending: try stepsToRepeat(of: file, found)
                }
            if verdict == .applied { try await check(steps, of: file, session) }
            let changes = steps.flatMap { step in
                switch verdict {
                case .applied: [Ledger.beginning(step, of: file)] + Ledger.finishing(step, of: file, took: .zero)
                case .pending: [Ledger.forgetting(step, of: file)]
                }
            }
            let reason = MigrationResolution.recording(id, verdict, because: because, who: who)
            try await record(changes + [reason], session)
            return steps.map { StepName($0, of: file) }
        }
    }

    /// Calls `body` with a session that holds the runner's lock, so that no run can start meanwhile.
    ///
    /// - Throws: `busy` at once if a run is at work; `pooled`, `unfit`.
    func exclusively<Value>(
        _ body: (Session) async throws(MigrationError) -> Value
    ) async throws(MigrationError) -> Value {
        try await withSession { session throws(MigrationError) in
            try await PoolerProbe.refuse(session, string)
            try await DatabaseFitness.check(session)
            guard try await asMigrationError({ () throws(PGError) in try await RunnerLock.take(session) }) else {
                throw .busy(
                    holders: try await asMigrationError { () throws(PGError) in try await RunnerLock.holders(session) })
            }
            return try await body(session)
        }
    }

    /// Runs the commands, which write to the ledger, in one transaction. Creates the ledger's tables first if they are
    /// missing.
    func record(_ commands: [Command], _ session: Session) async throws(MigrationError) {
        do {
            try await Ledger.make(session)
            try await session.transaction { session in _ = try session.commitPipeline(commands) }
        } catch let error as PGError {
            throw .database(error)
        } catch {
            preconditionFailure("A transaction of commands throws nothing else: \(error)")
        }
    }

    private func stepsToFinish(of file: MigrationFile, _ ledger: Ledger) throws(MigrationError) -> [MigrationStep] {
        switch state(of: file, ledger) {
        case .applied: throw .unresolvable(path: file.path, "It is applied. Nothing is to be done.")
        case .changed: throw .changed(path: file.path)
        case .outOfOrder: throw .outOfOrder(path: file.path)
        default: break
        }
        let before = lines.flatMap(\.files).first { earlier in
            earlier.id.line == file.id.line && earlier.id.number < file.id.number
                && !ledger.files.contains { $0.id == earlier.id }
        }
        if let before {
            throw .unresolvable(path: file.path, "\(before.path) comes before it and is not applied. Begin with that.")
        }
        let left = file.steps.filter { step in
            !(ledger.steps[file.id] ?? []).contains { $0.number == step.number && $0.state == .done }
        }
        let beforeContract = left.filter { $0.phase != .contract }
        return beforeContract.isEmpty ? left : beforeContract
    }

    private func stepsToRepeat(of file: MigrationFile, _ ledger: Ledger) throws(MigrationError) -> [MigrationStep] {
        switch state(of: file, ledger) {
        case .failedPartial:
            let begun = (ledger.steps[file.id] ?? []).filter { $0.state != .done }.map(\.number)
            return file.steps.filter { begun.contains($0.number) }
        case .failedClean:
            throw .unresolvable(
                path: file.path, "Nothing of the step that failed was kept. ‘syncserver migrate up’ runs it again.")
        case .applied:
            throw .unresolvable(
                path: file.path, "It is applied. Take back what it does by another migration, or restore a backup.")
        case .changed: throw .changed(path: file.path)
        case .outOfOrder: throw .outOfOrder(path: file.path)
        default: throw .unresolvable(path: file.path, "It is pending. ‘syncserver migrate up’ runs it.")
        }
    }

    private func state(of file: MigrationFile, _ ledger: Ledger) -> MigrationStatus.State {
        MigrationStatus.compare(lines, with: ledger).first { $0.id == file.id }?.state ?? .pending
    }

    /// Runs the verify steps among `steps`. If `steps` contains contract steps, also checks that no running server
    /// needs the objects that they remove.
    private func check(
        _ steps: [MigrationStep], of file: MigrationFile, _ session: Session
    ) async throws(MigrationError) {
        for step in steps where step.phase == .verify {
            try await StepRunner(file: file, step: step, tables: tables, limits: limits, report: { _ in })
                .verify(session)
        }
        guard steps.contains(where: { $0.phase == .contract }) else { return }
        // The locks last until the session ends: no such server may start while the verdict is recorded.
        let present = try await asMigrationError { () throws(PGError) in
            try await ServingLevel.exclude(below: file.id.number, of: file.id.line, session)
        }
        guard present.isEmpty else {
            let obstacle = ServingLevel.obstacle(present, of: file.id.line)
            throw .unresolvable(
                path: file.path, "\(obstacle) and need what a contract takes away. Stop them first.")
        }
    }
}
