/// Applies migration files to a database, each exactly once and in order, however many runs are started at
/// once.
///
/// `up` in short: lock out other runs; read the ledger; refuse if files and ledger disagree; then for each
/// pending file one transaction holds the whole file and its ledger row.
package struct Migrator: Sendable {
    private let string: ConnectionString
    private let role: String?
    private let lines: [MigrationLine]
    private let limits: MigratorLimits
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - role: the role to become, which will own what the files create; `nil` to stay the login.
    ///   - lines: in the order to apply them.
    package init<C: Clock<Duration>>(
        _ string: ConnectionString, role: String? = nil, lines: [MigrationLine],
        limits: MigratorLimits = MigratorLimits(), clock: C = ContinuousClock()
    ) {
        self.string = string
        self.role = role
        self.lines = lines
        self.limits = limits
        sleep = { try await clock.sleep(for: $0) }
    }

    /// How every migration on disk and in the ledger stands. Changes nothing, and waits for nobody.
    package func status() async throws(MigrationError) -> [MigrationStatus] {
        try await withSession { session throws(MigrationError) in try await status(session) }
    }

    /// Applies what is pending: everything, or one line's files up to `target`.
    ///
    /// - Returns: the paths of the files applied.
    /// - Throws: `changed`, `missing`, `outOfOrder` before anything is applied; `failed`, `blocked`,
    ///   `endsTransaction` for one file, after those before it were applied; `busy`, `database`,
    ///   `noSuchTarget`, `cancelled`.
    @discardableResult
    package func up(
        to target: MigrationID? = nil, report: @escaping @Sendable (MigrationEvent) -> Void = { _ in }
    ) async throws(MigrationError) -> [String] {
        try await withSession { lockSession throws(MigrationError) in
            try await lock(lockSession, report)
            try await database { () throws(PGError) in try await lockSession.runScript(Ledger.create) }
            let files = try await pending(status(lockSession), upTo: target)
            report(.planned(paths: files.map(\.path)))
            for file in files { try await apply(file, lockSession, report) }
            return files.map(\.path)
        }
    }
}

extension Migrator {
    private func status(_ session: Session) async throws(MigrationError) -> [MigrationStatus] {
        let rows = try await database { () throws(PGError) in try await Ledger.read(session) }
        return MigrationStatus.compare(lines, with: rows)
    }

    /// The files to apply, in order; or the first disagreement. Lines that only the ledger knows are another
    /// app's business.
    private func pending(
        _ statuses: [MigrationStatus], upTo target: MigrationID?
    ) throws(MigrationError) -> [MigrationFile] {
        let known = Set(lines.map(\.name))
        for status in statuses where known.contains(status.id.line) {
            switch status.state {
            case .applied, .pending: break
            case .changed: throw .changed(path: status.path)
            case .missing: throw .missing(path: status.path)
            case .outOfOrder: throw .outOfOrder(path: status.path)
            }
        }
        let files = lines.flatMap(\.files)
        if let target, !files.contains(where: { $0.id == target }) { throw .noSuchTarget(target) }
        let pending = Set(statuses.filter { $0.state == .pending }.map(\.id))
        return files.filter { file in
            guard pending.contains(file.id) else { return false }
            guard let target else { return true }
            return file.id.line == target.line && file.id.number <= target.number
        }
    }

    private func lock(
        _ session: Session, _ report: @Sendable (MigrationEvent) -> Void
    ) async throws(MigrationError) {
        let start = ContinuousClock.now
        var generator = SystemRandomNumberGenerator()
        var isFirst = true
        while try await !database({ () throws(PGError) in try await RunnerLock.take(session) }) {
            let holders = try await database { () throws(PGError) in try await RunnerLock.holders(session) }
            if isFirst { report(.waiting(holders: holders)) }
            isFirst = false
            if ContinuousClock.now - start > limits.runnerWaitMax { throw .busy(holders: holders) }
            try await pause(limits.pause(after: 1, using: &generator))
        }
    }

    /// Applies one file, trying again while others hold its locks.
    private func apply(
        _ file: MigrationFile, _ watcher: Session, _ report: @escaping @Sendable (MigrationEvent) -> Void
    ) async throws(MigrationError) {
        var generator = SystemRandomNumberGenerator()
        for attempt in 1... {
            report(.began(path: file.path, attempt: attempt))
            let start = ContinuousClock.now
            let (result, blockers) = try await withSession { worker throws(MigrationError) in
                await run(file, worker, watcher, report)
            }
            switch result {
            case .success:
                report(.applied(path: file.path, ContinuousClock.now - start))
                return
            case .failure(.failed(_, _, .lockTimeout)), .failure(.failed(_, _, .deadlock)):
                if attempt == limits.attemptsMax {
                    throw .blocked(path: file.path, attempts: attempt, by: blockers)
                }
                let length = limits.pause(after: attempt, using: &generator)
                report(.retrying(path: file.path, attempt: attempt, after: length))
                try await pause(length)
            case .failure(let error): throw error
            }
        }
    }

    /// One attempt, with `watcher` noting meanwhile who stands in its way.
    private func run(
        _ file: MigrationFile, _ worker: Session, _ watcher: Session,
        _ report: @escaping @Sendable (MigrationEvent) -> Void
    ) async -> (Result<Void, MigrationError>, [Blocker]) {
        let processID = await worker.serverProcessID
        return await withTaskGroup(of: [Blocker].self) { group in
            group.addTask { await watch(processID, from: watcher) { report(.blocked(path: file.path, by: $0)) } }
            let result = await attempt(file, worker)
            group.cancelAll()
            return (result, await group.next() ?? [])
        }
    }

    /// Reports who blocks `processID`, whenever that changes, until cancelled; returns the last ones seen.
    ///
    /// Watching is a courtesy: if it fails, the migration itself still tells.
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

    /// The whole file and its ledger row, in one transaction.
    private func attempt(_ file: MigrationFile, _ worker: Session) async -> Result<Void, MigrationError> {
        let preamble = [
            Command(
                "SELECT set_config('lock_timeout', $1, true), set_config('search_path', '', true)",
                [.text("\(limits.lockTimeout.wholeMilliseconds)ms")])
        ]
        do {
            try await worker.transaction(preamble: preamble) { session in
                let start = ContinuousClock.now
                let transaction = Command("SELECT pg_current_xact_id()::text")
                let before = try session.execute(transaction).string(0, 0)
                try session.runScript(file.sql)
                guard try session.execute(transaction).string(0, 0) == before else {
                    throw MigrationError.endsTransaction(path: file.path)
                }
                try session.commitPipeline([Ledger.record(file, took: ContinuousClock.now - start)])
            }
            return .success(())
        } catch let error as MigrationError {
            return .failure(error)
        } catch let error as PGError {
            return .failure(.failed(path: file.path, line: error.report?.line(in: file.sql), error))
        } catch {
            preconditionFailure("A migration's transaction throws nothing else.")
        }
    }

    /// Opens a session for `body` and closes it whatever happens.
    private func withSession<Value>(
        _ body: (Session) async throws(MigrationError) -> Value
    ) async throws(MigrationError) -> Value {
        let session = try await database { () throws(PGError) in
            try await Session.open(string, role: role, settings: .migrating)
        }
        do throws(MigrationError) {
            let value = try await body(session)
            await session.close()
            return value
        } catch {
            await session.close()
            throw error
        }
    }

    private func database<Value>(
        _ body: () async throws(PGError) -> Value
    ) async throws(MigrationError) -> Value {
        do throws(PGError) { return try await body() } catch { throw .database(error) }
    }

    private func pause(_ length: Duration) async throws(MigrationError) {
        do { try await sleep(length) } catch { throw .cancelled }
    }
}

extension ServerReport {
    /// The line of `sql`, from 1, that the error's position falls on.
    fileprivate func line(in sql: String) -> Int? {
        position.map { sql.unicodeScalars.prefix($0 - 1).count { $0 == "\n" } + 1 }
    }
}
