import PGStore
package import Postgres
import SQLText

/// Applies migration files to a database, each step exactly once and in order, however many runs are started at once.
///
/// In short, `up` locks out other runs; reads the ledger; refuses if files and ledger disagree; then runs each pending
/// step and records it, where possible in one transaction. Contract steps come last, and only if no server needs what
/// they remove.
package struct Migrator: Sendable {
    let string: ConnectionString
    let role: String?
    let lines: [MigrationLine]
    let limits: MigratorLimits
    let tables: RecordTables
    private let sleep: @Sendable (Duration) async throws -> Void

    /// A function that evaluates a condition of a contract step, on a session of the run.
    ///
    /// - Returns: the reason why the condition does not hold; `nil` if it holds.
    package typealias Gate =
        @Sendable (_ requirement: String, _ file: MigrationFile, Session) async throws(PGError) ->
        String?

    /// The maximum number of rows that are counted in the result of a verify step's query. The query should return
    /// none.
    static let verifyRowsMax = 100

    /// Creates a migrator.
    ///
    /// - Parameters:
    ///   - role: the role to assume, which will own the objects that the files create; `nil` to stay the login.
    ///   - lines: the lines of migration files, in the order in which to apply them.
    ///   - tables: the tables that hold records, according to the plans. In an app without a plan, changes to records
    ///     are detected only by PostgreSQL's counters.
    package init<C: Clock<Duration>>(
        _ string: ConnectionString, role: String? = nil, lines: [MigrationLine], tables: RecordTables = RecordTables(),
        limits: MigratorLimits = MigratorLimits(), clock: C = ContinuousClock()
    ) {
        self.string = string
        self.role = role
        self.lines = lines
        self.limits = limits
        self.tables = tables
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Returns the state of every migration on disk and in the ledger. Changes nothing, and waits for no lock.
    package func status() async throws(MigrationError) -> [MigrationStatus] {
        try await withSession { session throws(MigrationError) in
            let isRunning = try await asMigrationError { () throws(PGError) in
                try await !RunnerLock.holders(session).isEmpty
            }
            let resolutions = try await asMigrationError { () throws(PGError) in
                try await MigrationResolution.latest(session)
            }
            return MigrationStatus.compare(lines, with: try await ledger(session), isRunning: isRunning).map { status in
                var status = status
                status.resolution = resolutions[status.id]
                return status
            }
        }
    }

    /// Runs the pending steps: all of them, or those of one line's files up to `target`. For a target in an app's line,
    /// the server's own line runs too, because the app's files depend on it.
    ///
    /// A database without a ledger has no servers yet, so there contract steps run in the order of the files.
    ///
    /// - Parameters:
    ///   - contracts: the policy for contract steps.
    ///   - scope: the steps to run. In a new database, `beforeBackfills` means all steps, because no backfill is long.
    ///   - gate: evaluates the conditions of contract steps; without a gate, no condition is met.
    /// - Throws: `changed`, `missing`, `outOfOrder`, `undeclared`, `misdeclared`, `moving`, `pooled`, `unfit`,
    ///   `unreadableTables`
    ///   before anything is run; the error of a step that failed, while earlier steps stay done; `busy`, `database`,
    ///   `noSuchTarget`, `cancelled`.
    @discardableResult
    package func up(
        to target: MigrationID? = nil, contracts: ContractPolicy = .hold, scope: RunScope = .everything,
        gate: Gate? = nil,
        report: @escaping @Sendable (MigrationEvent) -> Void = { _ in }
    ) async throws(MigrationError) -> MigrationOutcome {
        try await withSession { lockSession throws(MigrationError) in
            try await PoolerProbe.refuse(lockSession, string)
            try await DatabaseFitness.check(lockSession)
            try await lock(lockSession, report)
            let isNew = try await ledger(lockSession).files.isEmpty
            try await asMigrationError { () throws(PGError) in try await Ledger.make(lockSession) }
            let found = try await ledger(lockSession)
            let isAll = isNew && scope == .beforeBackfills
            let (pending, left) = (isAll ? .everything : scope).divide(try checkedPending(found, upTo: target))
            if !pending.isEmpty { try await refuseDuringMove(lockSession) }
            report(.planned(paths: pending.map(\.file.path)))
            var outcome = MigrationOutcome(left: left)
            for leftStep in left { report(.left(leftStep.step, reason: leftStep.reason)) }
            let (contracting, rest) = (pending.filter(\.isContract), pending.filter { !$0.isContract })
            if !isNew { try await lockOutServersThatCannotRead(after: rest, lockSession) }
            for pendingStep in isNew ? pending : rest { try await perform(pendingStep, lockSession, &outcome, report) }
            if !isNew { try await contract(contracting, contracts, gate, lockSession, &outcome, report) }
            return outcome
        }
    }

    /// Runs the verify steps of all files whose backfills are done, even if they were verified before.
    ///
    /// - Throws: `unverified` for the first query that returns a row; `failed`, `database`.
    package func verify(report: @escaping @Sendable (MigrationEvent) -> Void = { _ in }) async throws(MigrationError) {
        try await withSession { session throws(MigrationError) in
            let statuses = MigrationStatus.compare(lines, with: try await ledger(session))
            let servable = Set(statuses.filter(\.isServable).map(\.id))
            for file in lines.flatMap(\.files) where servable.contains(file.id) {
                for step in file.steps where step.phase == .verify {
                    let name = StepName(step, of: file)
                    report(.began(name, attempt: 1))
                    let start = ContinuousClock.now
                    try await StepRunner(file: file, step: step, tables: tables, limits: limits, report: report)
                        .verify(session)
                    report(.finished(name, ContinuousClock.now - start))
                }
            }
        }
    }
}

extension Migrator {
    func ledger(_ session: Session) async throws(MigrationError) -> Ledger {
        try await asMigrationError { () throws(PGError) in try await Ledger.read(session) }
    }

    /// Returns the pending steps in order. Throws an error if files and ledger disagree. The ledger's entries for other
    /// apps and for later releases, which have no files here, are ignored.
    func checkedPending(_ ledger: Ledger, upTo target: MigrationID?) throws(MigrationError) -> [PendingStep] {
        let statuses = MigrationStatus.compare(lines, with: ledger)
        let known = Set(lines.map(\.name))
        for status in statuses where known.contains(status.id.line) {
            switch status.state {
            case .changed: throw .changed(path: status.path)
            case .missing: throw .missing(path: status.path)
            case .outOfOrder: throw .outOfOrder(path: status.path)
            default: break
            }
        }
        let files = lines.flatMap(\.files)
        if let target, !files.contains(where: { $0.id == target }) { throw .noSuchTarget(target) }
        let open = Set(statuses.filter { !$0.isApplied }.map(\.id))
        var pending: [PendingStep] = []
        for file in files where open.contains(file.id) {
            if let target, !isWanted(file.id, for: target) { continue }
            let records = ledger.steps[file.id] ?? []
            for step in file.steps {
                let record = records.first { $0.number == step.number }
                if record?.state == .done { continue }
                try checkDeclared(step, of: file, isNew: ledger.files.isEmpty)
                pending.append(PendingStep(file: file, step: step, record: record))
            }
        }
        return pending
    }

    private func isWanted(_ id: MigrationID, for target: MigrationID) -> Bool {
        if id.line == target.line { return id.number <= target.number }
        return id.line == MigrationLine.serverLineName
    }

    private func lock(
        _ session: Session, _ report: @Sendable (MigrationEvent) -> Void
    ) async throws(MigrationError) {
        let start = ContinuousClock.now
        var generator = SystemRandomNumberGenerator()
        var isFirst = true
        while try await !asMigrationError({ () throws(PGError) in try await RunnerLock.take(session) }) {
            let holders = try await asMigrationError { () throws(PGError) in try await RunnerLock.holders(session) }
            if isFirst { report(.waiting(holders: holders)) }
            isFirst = false
            if ContinuousClock.now - start > limits.runnerWaitMax { throw .busy(holders: holders) }
            try await pause(limits.pause(after: 1, using: &generator))
        }
    }

    // MARK: Contracts

    /// Runs the contract steps in order. In each line, stops at the first step that has to wait.
    private func contract(
        _ pending: [PendingStep], _ policy: ContractPolicy, _ gate: Gate?, _ lockSession: Session,
        _ outcome: inout MigrationOutcome, _ report: @escaping @Sendable (MigrationEvent) -> Void
    ) async throws(MigrationError) {
        var waiting: Set<String> = []
        for pendingStep in pending {
            let (lineName, number) = (pendingStep.file.id.line, pendingStep.file.id.number)
            func hold(_ reason: String) {
                waiting.insert(lineName)
                outcome.left.append(.init(step: pendingStep.name, reason: reason))
                report(.left(pendingStep.name, reason: reason))
            }
            if waiting.contains(lineName) {
                hold("The one before it waits.")
                continue
            }
            guard policy == .run else {
                hold("It takes away what older servers need. Run ‘syncserver migrate up --contract’ without them.")
                continue
            }
            if let reason = try await obstacle(to: pendingStep, gate, lockSession) {
                hold(reason)
                continue
            }
            let present = try await asMigrationError { () throws(PGError) in
                try await ServingLevel.exclude(below: number, of: lineName, lockSession)
            }
            if present.isEmpty {
                try await perform(pendingStep, lockSession, &outcome, report)
            } else {
                hold("\(ServingLevel.obstacle(present, of: lineName)).")
            }
            try await asMigrationError { () throws(PGError) in
                try await ServingLevel.readmit(below: number, of: lineName, lockSession)
            }
        }
    }

    private func obstacle(
        to pendingStep: PendingStep, _ gate: Gate?, _ session: Session
    ) async throws(MigrationError) -> String? {
        for requirement in pendingStep.step.requirements {
            guard let gate else { return "It requires ‘\(requirement)’." }
            let reason = try await asMigrationError { () throws(PGError) in
                try await gate(requirement, pendingStep.file, session)
            }
            if let reason { return reason }
        }
        return nil
    }

    // MARK: Steps

    /// Runs one step, and tries again while other sessions hold locks that it needs.
    private func perform(
        _ pendingStep: PendingStep, _ watcher: Session, _ outcome: inout MigrationOutcome,
        _ report: @escaping @Sendable (MigrationEvent) -> Void
    ) async throws(MigrationError) {
        let (file, step, name) = (pendingStep.file, pendingStep.step, pendingStep.name)
        if Task.isCancelled { throw .cancelled }
        try await asMigrationError { () throws(PGError) in try await watcher.execute(Ledger.beginning(step, of: file)) }
        CrashPoint.pass()
        var generator = SystemRandomNumberGenerator()
        var done = pendingStep.record?.statementsDone ?? 0
        for attempt in 1... {
            report(.began(name, attempt: attempt))
            let start = ContinuousClock.now
            var (result, blockers) = try await withSession { worker throws(MigrationError) in
                await self.attempt(pendingStep, from: done, worker, watcher, report)
            }
            guard case .failure(let error) = result else {
                report(.finished(name, ContinuousClock.now - start))
                if outcome.applied.last != file.path { outcome.applied.append(file.path) }
                return
            }
            guard case .failed(_, _, let cause) = error, cause.isLockTimeout || cause.isDeadlock else {
                _ = try? await watcher.execute(Ledger.failing(step, of: file, error.description))
                throw error
            }
            if blockers.isEmpty {
                // It gave up before the watcher looked. The blocker is still there, or the next attempt succeeds.
                blockers = (try? await Blocker.holding(step.statements.flatMap(\.locks), watcher)) ?? []
                if !blockers.isEmpty { report(.blocked(name, by: blockers)) }
            }
            if attempt == limits.attemptsMax {
                let blocked = MigrationError.blocked(path: file.path, attempts: attempt, by: blockers)
                _ = try? await watcher.execute(Ledger.failing(step, of: file, blocked.description))
                throw blocked
            }
            let records = try await ledger(watcher).steps[file.id]
            done = records?.first { $0.number == step.number }?.statementsDone ?? done
            let length = limits.pause(after: attempt, using: &generator)
            report(.retrying(name, attempt: attempt, after: length))
            try await pause(length)
        }
    }

    /// Makes one attempt, while `watcher` observes which sessions block it.
    private func attempt(
        _ pendingStep: PendingStep, from done: Int, _ worker: Session, _ watcher: Session,
        _ report: @escaping @Sendable (MigrationEvent) -> Void
    ) async -> (Result<Void, MigrationError>, [Blocker]) {
        let processID = await worker.serverProcessID
        return await withTaskGroup(of: [Blocker].self) { group in
            group.addTask { await watch(processID, from: watcher) { report(.blocked(pendingStep.name, by: $0)) } }
            let result: Result<Void, MigrationError>
            do throws(MigrationError) {
                try await runOnce(pendingStep, from: done, worker, report)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            return (result, await group.next() ?? [])
        }
    }

    private func runOnce(
        _ pendingStep: PendingStep, from done: Int, _ worker: Session,
        _ report: @escaping @Sendable (MigrationEvent) -> Void
    ) async throws(MigrationError) {
        if case .batches(let table, let size) = pendingStep.step.mode {
            let runner = try BatchRunner(
                pendingStep.file, pendingStep.step, table: table, size: size, tables, limits, report: report,
                pause: { length throws(MigrationError) in try await pause(length) })
            try await runner.run(on: worker)
            CrashPoint.pass()
            return
        }
        let runner = StepRunner(
            file: pendingStep.file, step: pendingStep.step, tables: tables, limits: limits, report: report)
        try await runner.run(from: done, on: worker)
    }

    /// Reports the sessions that block `processID` whenever they change, until the task is cancelled. Returns the
    /// blocking sessions that were found last.
    ///
    /// Errors are ignored here, because a step that cannot get its locks fails with an error of its own.
    private func watch(
        _ processID: Int32, from session: Session, _ report: @Sendable ([Blocker]) -> Void
    ) async -> [Blocker] {
        var lastSeen: [Blocker] = []
        while (try? await sleep(max(limits.lockTimeout / 4, .milliseconds(10)))) != nil {
            guard let blockers = try? await Blocker.blocking(processID, session), !blockers.isEmpty else { continue }
            if blockers.map(\.processID) != lastSeen.map(\.processID) { report(blockers) }
            lastSeen = blockers
        }
        return lastSeen
    }

    // MARK: Sessions

    /// Opens a session for `body` and closes it whatever happens.
    func withSession<Value>(
        _ body: (Session) async throws(MigrationError) -> Value
    ) async throws(MigrationError) -> Value {
        let session = try await asMigrationError { () throws(PGError) in
            try await Session.open(string, role: role, settings: .migrating)
        }
        do throws(MigrationError) {
            let value = try await body(session)
            await session.close()
            return value
        } catch .database(.insufficientPrivilege(let report)) {
            await session.close()
            throw try await refusal(report)
        } catch {
            await session.close()
            throw error
        }
    }

    /// Returns the error for a missing privilege: `notOwner` if the login may not act as the owner, else `database`.
    private func refusal(_ report: ServerReport) async throws(MigrationError) -> MigrationError {
        let session = try await asMigrationError { () throws(PGError) in try await Session.open(string, role: role) }
        let rights: Result<LoginRights, PGError>
        do throws(PGError) {
            rights = .success(try await LoginRights.read(session))
        } catch {
            rights = .failure(error)
        }
        await session.close()
        let login = try await asMigrationError { () throws(PGError) in try rights.get() }
        return login.mayActAsOwner ? .database(.insufficientPrivilege(report)) : .notOwner(login.notOwner)
    }

    /// Converts PostgreSQL's errors in `body` into `MigrationError.database`.
    @discardableResult
    func asMigrationError<Value>(
        _ body: () async throws(PGError) -> Value
    ) async throws(MigrationError) -> Value {
        do throws(PGError) { return try await body() } catch { throw .database(error) }
    }

    private func pause(_ length: Duration) async throws(MigrationError) {
        do { try await sleep(length) } catch { throw .cancelled }
    }
}
