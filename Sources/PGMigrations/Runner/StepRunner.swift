import PGStore
import Postgres
import SQLText

/// Runs one step of a migration once, on a session of its own.
struct StepRunner {
    let file: MigrationFile
    let step: MigrationStep
    let tables: RecordTables
    let limits: MigratorLimits
    /// Receives events, such as the number of done statements if each statement runs by itself.
    let report: @Sendable (MigrationEvent) -> Void

    /// Runs the step.
    ///
    /// - Parameter done: the number of statements that are done already, if each runs by itself.
    /// - Throws: `failed`, `unverified`, `invalidIndex`, `endsTransaction`, `misdeclared`, `cancelled`.
    func run(from done: Int, on session: Session) async throws(MigrationError) {
        switch step.mode {
        case .transaction where step.phase == .verify:
            let start = ContinuousClock.now
            try await verify(session)
            CrashPoint.pass()
            try await asMigrationError {
                try await session.pipeline(Ledger.finishing(step, of: file, took: ContinuousClock.now - start))
            }
        case .transaction: try await runAtOnce(session)
        case .statements: try await runApart(from: done, session)
        case .batches: preconditionFailure("Batches have a runner of their own.")
        }
        CrashPoint.pass()
    }

    /// The schemas in which a step's new objects lose the privileges that other roles get by default.
    private var schemas: [String] { [MigrationLine.serverLineName, file.id.line] }

    /// Runs all of the step's statements in one transaction, which also records the step as done in the ledger.
    private func runAtOnce(_ session: Session) async throws(MigrationError) {
        try await asMigrationError {
            let start = try await session.transaction(preamble: [preamble]) { session in
                let start = ContinuousClock.now
                let transaction = Command("SELECT pg_current_xact_id()::text")
                let before = try session.execute(transaction).string(0, 0)
                let recordGuard = RecordGuard(file: file, step: step, tables: tables)
                let counts = try recordGuard.begin(session)
                let sweep = try PrivilegeSweep(schemas, session)
                for statement in step.statements {
                    try run(statement, session)
                    CrashPoint.pass()
                }
                guard try session.execute(transaction).string(0, 0) == before else {
                    throw MigrationError.endsTransaction(path: file.path)
                }
                try sweep.run(session)
                let records = Ledger.finishing(step, of: file, took: ContinuousClock.now - start)
                try recordGuard.end(since: counts, writing: records, .atEnd, session)
                try session.commitPipeline([])
                return start
            }
            report(.committed(StepName(step, of: file), statement: nil, held: ContinuousClock.now - start))
        }
    }

    /// Runs the queries of a verify step, which must return no row, all in one snapshot.
    func verify(_ session: Session) async throws(MigrationError) {
        try await asMigrationError {
            try await session.transaction(.snapshot, preamble: [preamble]) { session in
                for statement in step.statements {
                    let rows = try found(by: statement, session)
                    guard rows.count == 0 else {
                        throw MigrationError.unverified(
                            path: file.path, line: statement.line, count: rows.count, first: rows.string(0, 0))
                    }
                }
            }
        }
    }

    /// Runs each statement by itself. If an earlier run was interrupted during a statement, that statement is run
    /// again.
    private func runApart(from done: Int, _ session: Session) async throws(MigrationError) {
        try await asMigrationError {
            let start = ContinuousClock.now
            for (index, statement) in step.statements.enumerated().dropFirst(done) {
                if Task.isCancelled { throw MigrationError.cancelled }
                try await prepare(for: statement, session)
                CrashPoint.pass()
                let began = ContinuousClock.now
                let advancing = Ledger.advancing(step, of: file, to: index + 1)
                let mayChange = statement.action.mayChangeRecords || statement.action.makesForOthers
                let isWatched = statement.mayRunInTransaction && mayChange
                let sweep = try await PrivilegeSweep(schemas, session)
                if isWatched {
                    try await runWatched(statement, session, sweep, then: advancing)
                } else {
                    try await run(statement, session)
                    try await sweep.run(session)
                }
                report(.committed(StepName(step, of: file), statement: index, held: ContinuousClock.now - began))
                CrashPoint.pass()
                try await checkIndexes(of: statement, session)
                if !isWatched { try await session.execute(advancing) }
                report(
                    .progress(
                        StepName(step, of: file), done: Int64(index + 1), all: Int64(step.statements.count)))
            }
            CrashPoint.pass()
            try await session.pipeline(Ledger.finishing(step, of: file, took: ContinuousClock.now - start))
        }
    }

    /// Runs a statement in its own transaction, which is rolled back if the statement changes records in a way that the
    /// step does not declare.
    private func runWatched(
        _ statement: SQLStatement, _ session: Session, _ sweep: PrivilegeSweep, then advancing: Command
    ) async throws {
        try await session.transaction { session in
            let recordGuard = RecordGuard(file: file, step: step, tables: tables, statement: statement)
            let counts = try recordGuard.begin(session)
            try run(statement, session)
            try sweep.run(session)
            try recordGuard.end(since: counts, writing: [advancing], .atEnd, session)
            try session.commitPipeline([])
        }
    }

    // MARK: One statement

    private var preamble: Command {
        Command(
            """
            SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true),
                set_config('search_path', '', true)
            """,
            [
                .text("\(limits.lockTimeout.wholeMilliseconds)ms"), .text("\(limits.statementMax.wholeMilliseconds)ms"),
            ])
    }

    private func run(_ statement: SQLStatement, _ session: isolated Session) throws(MigrationError) {
        do throws(PGError) {
            try session.runScript(statement.text)
        } catch {
            throw .failed(path: file.path, line: error.report?.line(in: statement) ?? statement.line, error)
        }
    }

    private func found(
        by statement: SQLStatement, _ session: isolated Session
    ) throws(MigrationError) -> Rows {
        // The text of the row, and not of a column that may have the same name as the row.
        let query = """
            SELECT coalesce((found.*)::text, '') FROM (
            \(statement.text)
            ) AS found LIMIT \(Migrator.verifyRowsMax)
            """
        do throws(PGError) {
            return try session.execute(Command(Statement(unchecked: query)))
        } catch {
            throw .failed(path: file.path, line: statement.line, error)
        }
    }

    /// Sets the session's timeouts for the statement. If the statement builds an index concurrently, drops the invalid
    /// index that an earlier attempt has left.
    ///
    /// A concurrent statement has no timeouts: it makes nobody wait, and may itself wait for as long as the longest
    /// transaction takes.
    private func prepare(for statement: SQLStatement, _ session: isolated Session) throws(PGError) {
        let (lock, duration) =
            statement.action.isConcurrent ? (.zero, .zero) : (limits.lockTimeout, limits.statementMax)
        try session.runScript(
            """
            SET lock_timeout = \(lock.wholeMilliseconds);
            SET statement_timeout = \(duration.wholeMilliseconds);
            SET search_path = '';
            """)
        guard let index = statement.action.concurrentIndex, try isInvalid(index, session) else { return }
        let names = try [index.schema ?? "", index.name].map { name throws(PGError) in
            try session.quotedIdentifier(name)
        }
        try session.runScript("DROP INDEX CONCURRENTLY \(names.joined(separator: "."))")
    }

    private func checkIndexes(of statement: SQLStatement, _ session: isolated Session) throws {
        guard let index = statement.action.concurrentIndex, try isInvalid(index, session) else { return }
        throw MigrationError.invalidIndex(path: file.path, line: statement.line, name: index.description)
    }

    private func isInvalid(_ index: SQLName, _ session: isolated Session) throws(PGError) -> Bool {
        let rows = try session.execute(
            Command(
                """
                SELECT FROM pg_index AS i
                    JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname = $2 AND NOT i.indisvalid
                """, [.text(index.schema ?? ""), .text(index.name)]))
        return rows.count > 0
    }

    /// Runs `body`, and converts PostgreSQL's errors into migration errors with the path of this file.
    private func asMigrationError(_ body: () async throws -> Void) async throws(MigrationError) {
        do {
            try await body()
        } catch let error as MigrationError {
            throw error
        } catch let error as PGError {
            throw .failed(path: file.path, line: nil, error)
        } catch {
            preconditionFailure("A step throws nothing else: \(error)")
        }
    }
}

extension SQLAction {
    /// True if the action may change records and can be undone. False for `DO` and `CALL`, whose code may commit
    /// transactions of its own.
    fileprivate var mayChangeRecords: Bool {
        switch self {
        // An index or statistics on an expression call its functions for each row.
        case .changeRows, .truncate, .select, .createQuery, .alterTable, .rename, .createTable, .drop, .createIndex,
            .analyze, .refresh, .other("ExplainStmt"), .other("ExecuteStmt"):
            true
        default: false
        }
    }

    /// True if the action creates objects on which other roles may get privileges by default. Those privileges have to
    /// be revoked.
    fileprivate var makesForOthers: Bool {
        switch self {
        case .createSchema, .createTable, .createSequence, .createFunction: true
        default: false
        }
    }

    /// True if the action uses `CONCURRENTLY`. It then waits for other sessions' transactions, but does not make other
    /// sessions wait.
    fileprivate var isConcurrent: Bool {
        switch self {
        case .createIndex(let index): index.concurrently
        case .drop(let drop): drop.concurrently
        case .reindex(_, _, let concurrently), .refresh(_, let concurrently): concurrently
        default: false
        }
    }

    /// The index that the action builds concurrently, in the schema of its table.
    fileprivate var concurrentIndex: SQLName? {
        guard case .createIndex(let index) = self, index.concurrently, let name = index.name else { return nil }
        return SQLName(schema: index.table.schema, name: name)
    }
}

extension ServerReport {
    /// Returns the number of the line, in the file, at which PostgreSQL reports the error in `statement`; `nil` if it
    /// reports no position.
    func line(in statement: SQLStatement) -> Int? {
        position.map { statement.line + statement.text.unicodeScalars.prefix(max(0, $0 - 1)).count { $0 == "\n" } }
    }
}
