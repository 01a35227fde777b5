import Synchronization

/// One login to PostgreSQL. It is an actor that runs on a thread of its own, because libpq blocks.
///
/// The methods that run statements are synchronous. A transaction's body is a closure that cannot suspend, so no other
/// statement can run in between. With `await session.transaction { session in … }` the caller switches to the session's
/// thread once, not once for each statement.
package actor Session {
    private let queue: BlockingQueue
    private var connection: Connection?
    private var cache = StatementCache()
    private var phase = Phase.none
    private var preceding: Command?
    private let usable = Atomic<Bool>(true)
    private let largestAnswers = Atomic<Int>(0)

    private static let commit: Command = "COMMIT"

    private enum Phase {
        case none
        /// BEGIN is not sent yet. `unsent` has BEGIN and the commands that are sent before the transaction's first
        /// statement.
        case begun(unsent: [Command], TransactionMode)
        case open(TransactionMode)
        /// COMMIT was sent with the last pipeline, or the transaction was rolled back.
        case ended
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private init(queue: BlockingQueue) {
        self.queue = queue
    }

    /// Logs in, sets the session's limits, and switches to `role` (SET ROLE) if it is not `nil`.
    ///
    /// - Parameter lifeline: ends all waits of the session when it is cut.
    /// - Throws: `unreachable`, `tooManyConnections`; `statement` if the role does not exist; `insufficientPrivilege`
    ///   if the login may not switch to it.
    package static func open(
        _ string: ConnectionString, role: String? = nil, settings: SessionSettings = .serving,
        lifeline: Lifeline? = nil
    ) async throws(PGError) -> Session {
        let session = Session(queue: BlockingQueue(label: "syncserver.session"))
        guard let lifeline else {
            try await session.connect(string, role: role, settings: settings, lifeline: nil)
            return session
        }
        let opened = Promise<Result<Session, PGError>>()
        let id = lifeline.whenCut { opened.keep(.failure(.unreachable(reason: "We are stopping."))) }
        // Nobody awaits this task once the lifeline is cut: PQconnectdb cannot be interrupted, and ends by its own
        // `connect_timeout`.
        if id != nil {
            Task { opened.keep(await session.connected(string, role: role, settings: settings, lifeline: lifeline)) }
        }
        let result = await opened.value
        if let id { lifeline.forget(id) }
        return try result.get()
    }

    /// True if the session can run further statements. False once the session is closed or its connection is lost, and
    /// after an error that a new session may not have (`PGError.spoilsSession`).
    package nonisolated var isUsable: Bool { usable.load(ordering: .acquiring) }

    /// The largest total size of the results of a single round trip since the login, in bytes.
    nonisolated var answerBytesMax: Int { largestAnswers.load(ordering: .relaxed) }

    /// The process ID of the server process, as in `pg_stat_activity.pid`; 0 once closed.
    package var serverProcessID: Int32 { connection?.serverProcessID ?? 0 }

    /// Logs out. Later calls throw `connectionLost`.
    package func close() {
        usable.store(false, ordering: .releasing)
        connection = nil
    }

    /// Runs `body` as one transaction: commits when it returns, rolls back when it throws or calls `rollBack`.
    ///
    /// BEGIN and `preamble` are sent with the first pipeline that `body` runs; a body that runs none costs nothing. To
    /// save the round trip of COMMIT too, a body ends with `commitPipeline`. Nothing is retried: see
    /// `PGError.isRetryable`.
    ///
    /// - Parameter preamble: statements to run first, such as `set_config('sync.space', $1, true)`; their rows are
    ///   dropped.
    /// - Throws: the error of `body`, once the transaction is rolled back; `rollbackFailed` with both errors if rolling
    ///   back failed too; `commitUnknown` if the connection broke between COMMIT and its answer; `transactionAborted`
    ///   if `body` returned although one of its statements had failed.
    @discardableResult
    package func transaction<Value: Sendable>(
        _ mode: TransactionMode = .readWrite, preamble: [Command] = [],
        _ body: @Sendable (isolated Session) throws -> Value
    ) throws -> Value {
        guard case .none = phase else { preconditionFailure("Transactions do not nest; use a savepoint.") }
        phase = .begun(unsent: [mode.begin] + preamble, mode)
        defer {
            phase = .none
            preceding = nil
        }
        let value: Value
        do {
            value = try body(self)
        } catch {
            try rollBack(after: error)
            throw error
        }
        switch phase {
        case .open: _ = try commitPipeline([])
        case .none, .begun, .ended: break
        }
        return value
    }

    /// Runs one command and returns its rows. Outside a transaction it commits by itself.
    @discardableResult
    package func execute(_ command: Command) throws(PGError) -> Rows {
        try run([command])[0]
    }

    /// Runs all commands in one round trip and returns the rows of each. Outside a transaction they form one
    /// transaction.
    ///
    /// The server stops at the first error, which is thrown; a transaction can then only be rolled back.
    @discardableResult
    package func pipeline(_ commands: [Command]) throws(PGError) -> [Rows] {
        try run(commands)
    }

    /// Runs several groups of commands in one round trip. One more command may run before each group.
    ///
    /// - Parameters:
    ///   - parts: the groups of commands.
    ///   - entering: returns the command to run before the group with the given index in `parts`; `nil` if there is
    ///     none. It is not called for an empty group.
    ///   - thenCommit: true to send COMMIT in the same round trip, as `commitPipeline` does.
    /// - Returns: the rows of each group's commands, without those of the commands from `entering`.
    package func pipeline(
        inParts parts: [[Command]], entering: (_ index: Int) -> Command? = { _ in nil }, thenCommit: Bool = false
    ) throws(PGError) -> [[Rows]] {
        var sent: [Command] = []
        var ranges: [Range<Int>] = []
        for (index, commands) in parts.enumerated() {
            if !commands.isEmpty, let first = entering(index) { sent.append(first) }
            ranges.append(sent.count..<sent.count + commands.count)
            sent += commands
        }
        let rows = try thenCommit ? commitPipeline(sent) : pipeline(sent)
        return ranges.map { Array(rows[$0]) }
    }

    /// Sets a command to run just before the transaction's next statements, in the same round trip. Its rows are
    /// dropped. If no statements follow, the command never runs. It replaces an earlier command that has not run yet.
    /// `nil` only removes the earlier command.
    ///
    /// Call this only after the transaction has run its first statements: the command is never sent together with
    /// those.
    package func precede(with command: Command?) { preceding = command }

    /// Runs all commands and then COMMIT, in one round trip. Call this only inside a transaction, and as the last call
    /// of its closure: an error that the closure throws afterwards undoes nothing.
    @discardableResult
    package func commitPipeline(_ commands: [Command]) throws(PGError) -> [Rows] {
        let mode: TransactionMode
        switch phase {
        case .begun(_, let begun): mode = begun
        case .open(let open): mode = open
        case .none, .ended: preconditionFailure("There is no transaction to commit.")
        }
        guard connection != nil else { throw .connectionLost(reason: "The session is closed.") }
        do throws(PGError) {
            var rows = try run(commands + [Session.commit])
            phase = .ended
            // The manual on COMMIT does not mention it, but the tag of a failed transaction's end is ROLLBACK.
            guard rows.removeLast().tag == "COMMIT" else { throw PGError.transactionAborted }
            return rows
        } catch .connectionLost(let reason) where mode.mayWrite {
            throw .commitUnknown(reason: reason)
        }
    }

    /// Rolls the transaction back. This must be the last call of the transaction's closure. The closure may still
    /// return a value, which `transaction` then returns, but nothing is stored.
    package func rollBack() throws(PGError) {
        switch phase {
        // BEGIN was never sent.
        case .begun: phase = .ended
        case .open:
            try withConnection { connection throws(PGError) in try connection.runScript("ROLLBACK") }
            phase = .ended
        case .none, .ended: preconditionFailure("There is no transaction to undo.")
        }
    }

    /// Runs `body` in a savepoint of the current transaction. If `body` throws, only its own statements are undone, and
    /// the transaction can go on.
    @discardableResult
    package func savepoint<Value>(_ body: (isolated Session) throws -> Value) throws -> Value {
        try execute(Command("SAVEPOINT step"))
        do {
            let value = try body(self)
            try execute(Command("RELEASE SAVEPOINT step"))
            return value
        } catch {
            do {
                // Not prepared: in a failed transaction, making room in the cache would fail too.
                try runScript("ROLLBACK TO SAVEPOINT step; RELEASE SAVEPOINT step")
            } catch let rollback {
                throw PGError.rollbackFailed(cause: error, rollback: rollback)
            }
            throw error
        }
    }

    /// Begins to listen for notifications on a channel.
    ///
    /// - Returns: the descriptor that becomes readable when a notification has come. It belongs to the session, which
    ///   closes it.
    func listen(to channel: String) throws(PGError) -> Int32 {
        try runScript("LISTEN \(try quotedIdentifier(channel))")
        return try withConnection { connection throws(PGError) in connection.socket }
    }

    /// Returns the payloads of the notifications that have arrived since the last call, without waiting.
    func takeNotifications() throws(PGError) -> [String] {
        try withConnection { connection throws(PGError) in try connection.takeNotifications() }
    }

    /// Asks the server for a trivial result, and returns true if it answers.
    package func ping() -> Bool {
        (try? execute(Command("SELECT 1"))) != nil
    }

    /// Returns true if the server still answers, and the session may write to the database.
    func canWrite() -> Bool {
        let rows = try? execute(Command("SELECT current_setting('transaction_read_only') = 'off'"))
        return rows?.bool(0, 0) ?? false
    }

    /// Runs a script of any number of statements, without values; only the migration runner needs it.
    package func runScript(_ sql: String) throws(PGError) {
        if case .begun(let unsent, let mode) = phase {
            phase = .open(mode)
            _ = try sendAll(unsent)
        }
        try withConnection { connection throws(PGError) in try connection.runScript(sql) }
    }

    /// Returns `name` quoted as an SQL identifier.
    package func quotedIdentifier(_ name: String) throws(PGError) -> String {
        try withConnection { connection throws(PGError) in try connection.quotedIdentifier(name) }
    }
}

extension Session {
    private func connected(
        _ string: ConnectionString, role: String?, settings: SessionSettings, lifeline: Lifeline
    ) -> Result<Session, PGError> {
        do throws(PGError) {
            try connect(string, role: role, settings: settings, lifeline: lifeline)
            return .success(self)
        } catch {
            return .failure(error)
        }
    }

    private func connect(
        _ string: ConnectionString, role: String?, settings: SessionSettings, lifeline: Lifeline?
    ) throws(PGError) {
        connection = try Connection(opening: string, silenceMax: settings.silenceMax, lifeline: lifeline)
        var script = settings.script
        if let role { script += "SET ROLE \(try quotedIdentifier(role));" }
        try runScript(script)
    }

    /// Sends all unsent commands of the transaction and then `commands`, and returns the rows of `commands`.
    private func run(_ commands: [Command]) throws(PGError) -> [Rows] {
        switch phase {
        case .begun(let unsent, let mode):
            phase = .open(mode)
            var rows = try sendAll(unsent + commands)
            rows.removeFirst(unsent.count)
            return rows
        case .open where preceding != nil && !commands.isEmpty:
            let first = preceding.take()!
            return Array(try sendAll([first] + commands).dropFirst())
        case .open, .none:
            return try sendAll(commands)
        case .ended:
            preconditionFailure("The transaction has already been committed.")
        }
    }

    private func sendAll(_ commands: [Command]) throws(PGError) -> [Rows] {
        if commands.isEmpty { return [] }
        try checkSizes(of: commands)
        try forgetStaleStatements()
        var requests: [Request] = []
        requests.reserveCapacity(commands.count)
        for command in commands {
            if let name = cache.name(for: command) {
                requests.append(.execute(name: name, command: command))
            } else {
                let name = cache.insert(command)
                requests.append(.prepare(name: name, command: command))
                requests.append(.execute(name: name, command: command))
            }
        }
        // At the end of the pipeline: before BEGIN, a pipeline with another statement is a transaction already, whose
        // isolation level can no longer be set (manual, section 55.2.3).
        let abandoned = cache.abandoned
        for name in abandoned { requests.append(.runOnce(Command(Statement(unchecked: "DEALLOCATE \(name)")))) }
        let sent = requests
        let answers = try withConnection { connection throws(PGError) in try connection.run(sent) }
        largestAnswers.max(answers.rows.reduce(0) { $0 + $1.memoryBytes }, ordering: .relaxed)
        // Dropping a statement is not undone with a transaction that fails later in the same pipeline.
        cache.noteForgotten(max(0, answers.rows.count - (requests.count - abandoned.count)))
        let rows = try rows(of: requests, answers)
        for (rows, command) in zip(rows, commands) { try rows.check(against: command.statement) }
        return rows
    }

    /// The largest size of a parameter, in bytes. PostgreSQL accepts no value of 1 GiB (MaxAllocSize in memutils.h),
    /// and libpq uses a 32-bit length.
    private static let parameterSizeMaxBytes = 0x3FFF_FFFF

    /// Throws an error if a parameter is too large, before anything is sent. So the session can be used further after
    /// the error.
    private func checkSizes(of commands: [Command]) throws(PGError) {
        for command in commands {
            for parameter in command.parameters where parameter.byteCount > Session.parameterSizeMaxBytes {
                throw .invalidInput(
                    ServerReport(
                        sqlState: "54000", message: "A value has more than \(Session.parameterSizeMaxBytes) bytes.",
                        sql: command.statement.sql))
            }
        }
    }

    /// Drops all prepared statements after a table has changed under one of them (`PGError.stalePlan`). Does nothing
    /// while the failed transaction is still open, because no other statement may run in it.
    private func forgetStaleStatements() throws(PGError) {
        guard cache.isStale, connection?.isInTransaction == false else { return }
        try withConnection { connection throws(PGError) in try connection.runScript("DEALLOCATE ALL") }
        cache = StatementCache()
    }

    /// Returns the rows of each `execute` request, or throws the error of the request that failed. After a failure the
    /// server skips the remaining requests. If the failed request or a skipped one prepares a statement, the statement
    /// is removed from the cache.
    private func rows(of requests: [Request], _ answers: Answers) throws(PGError) -> [Rows] {
        if let failure = answers.failure {
            for case .prepare(let name, let command) in requests[answers.rows.count...] {
                cache.remove(command, named: name)
            }
            if case .stalePlan = failure { cache.markStale() }
            if failure.spoilsSession { usable.store(false, ordering: .releasing) }
            throw failure
        }
        var rows: [Rows] = []
        rows.reserveCapacity(requests.count)
        for (index, request) in requests.enumerated() {
            if case .execute = request { rows.append(answers.rows[index]) }
        }
        return rows
    }

    private func rollBack(after cause: any Error) throws {
        guard connection?.isInTransaction == true else { return }
        do {
            try withConnection { connection throws(PGError) in try connection.runScript("ROLLBACK") }
        } catch {
            close()
            throw PGError.rollbackFailed(cause: cause, rollback: error)
        }
    }

    /// Passes the connection to `body`. If the connection turns out to be lost, closes the session for good.
    private func withConnection<Value>(
        _ body: (borrowing Connection) throws(PGError) -> Value
    ) throws(PGError) -> Value {
        guard connection != nil else { throw .connectionLost(reason: "The session is closed.") }
        do throws(PGError) {
            return try body(connection!)
        } catch .connectionLost(let reason) {
            close()
            throw .connectionLost(reason: reason)
        }
    }
}
