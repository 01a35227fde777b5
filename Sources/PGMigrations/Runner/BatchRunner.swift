import PGStore
import Postgres
import SQLText
import WireFormats

/// Runs one UPDATE over a table in batches, by primary key, while servers continue to serve. Each batch's transaction
/// also stores the key of the last row done. If the run is killed, the next run continues after that row.
struct BatchRunner {
    let file: MigrationFile
    let step: MigrationStep
    let table: TableName
    let sizeMax: Int
    let tables: RecordTables
    let limits: MigratorLimits
    let report: @Sendable (MigrationEvent) -> Void
    let pause: @Sendable (Duration) async throws(MigrationError) -> Void

    private let update: SQLStatement
    /// The name by which the UPDATE refers to its table: the alias if there is one, otherwise the table's name.
    private let alias: String

    /// Creates a runner for a step that runs in batches.
    ///
    /// - Throws: `badDirective` if the step is not a single UPDATE that can be run in batches.
    init(
        _ file: MigrationFile, _ step: MigrationStep, table: TableName, size: Int, _ tables: RecordTables,
        _ limits: MigratorLimits,
        report: @escaping @Sendable (MigrationEvent) -> Void,
        pause: @escaping @Sendable (Duration) async throws(MigrationError) -> Void
    ) throws(MigrationError) {
        (self.file, self.step, self.table, sizeMax) = (file, step, table, size)
        (self.tables, self.limits, self.report, self.pause) = (tables, limits, report, pause)
        func fault(_ problem: String) -> MigrationError { .badDirective(path: file.path, line: step.line, problem) }
        guard let update = step.statements.first, step.statements.count == 1,
            case .changeRows(let change) = update.action, change.verb == .update
        else { throw fault("a step in batches is one UPDATE.") }
        guard change.table == SQLName(schema: table.schema, name: table.table) else {
            throw fault("the UPDATE changes \(change.table), and ‘table’ says \(table).")
        }
        guard change.joinsBatch, !change.hasWith, !change.hasReturning else {
            throw fault(
                "the UPDATE joins the rows of each batch, ‘FROM batch WHERE (t.space_id, t.id) = (batch.space_id, "
                    + "batch.id)’, and has neither WITH nor RETURNING. Other conditions are joined to that by AND: "
                    + "below OR or NOT it lets other rows in.")
        }
        self.update = update
        alias = SQLName(schema: nil, name: change.alias ?? table.table).sql
    }

    /// The longest desired duration of a batch. Pushes to the batch's spaces wait while it runs.
    private static let longest = Duration.milliseconds(100)
    private static let shortest = Duration.milliseconds(25)
    private static let sizeMin = 10
    /// A key that sorts before every other.
    private static let first = ID(high: 0, low: 0)

    /// Runs all remaining batches.
    ///
    /// - Throws: `failed`, also if a batch cannot get its locks; `misdeclared`, `cancelled`.
    func run(on session: Session) async throws(MigrationError) {
        let began = ContinuousClock.now
        try await asMigrationError(session) { session throws(PGError) in
            try session.runScript(
                """
                SET lock_timeout = \(limits.lockTimeout.wholeMilliseconds);
                SET statement_timeout = \(limits.statementMax.wholeMilliseconds);
                SET search_path = '';
                """)
        }
        var (position, done, all) = try await begin(session)
        var size = sizeMax
        var attempt = 1
        var isBlind = false
        var generator = SystemRandomNumberGenerator()
        while true {
            let start = ContinuousClock.now
            let batch: Batch
            do throws(MigrationError) {
                batch = try await self.batch(after: position, size, session)
            } catch .failed(let path, let line, let error) {
                guard error.isRetryable || error.isLockTimeout, attempt < limits.attemptsMax else {
                    throw .failed(path: path, line: line, error)
                }
                let length = limits.pause(after: attempt, using: &generator)
                report(.retrying(StepName(step, of: file), attempt: attempt, after: length))
                attempt += 1
                try await pause(length)
                continue
            }
            let took = ContinuousClock.now - start
            report(.committed(StepName(step, of: file), statement: nil, held: took))
            attempt = 1
            CrashPoint.pass()
            done += Int64(batch.count)
            if all > 0 { all = max(all, done) }
            report(.progress(StepName(step, of: file), done: done, all: all))
            guard let last = batch.last else { break }
            if Task.isCancelled { throw .cancelled }
            position = last
            if took > Self.longest { size = max(Self.sizeMin, size / 2) }
            if took < Self.shortest { size = min(sizeMax, size * 2) }
            try await rest(after: took, session, &isBlind)
        }
        let total = ContinuousClock.now - began
        try await asMigrationError(session) { session throws(PGError) in
            try session.pipeline(Ledger.finishing(step, of: file, took: total))
        }
    }

    private struct Key: Sendable {
        let space: ID
        let id: ID
    }

    private struct Batch: Sendable {
        /// The key of the batch's last row; `nil` if no rows remain after this batch.
        var last: Key?
        var count = 0
    }

    /// Returns the key of the last row that an earlier run passed (`nil` if there is none), the number of rows passed
    /// so far (`done`), and an estimate of the number of rows in the table (`all`; 0 if there is no estimate).
    private func begin(_ session: Session) async throws(MigrationError) -> (Key?, done: Int64, all: Int64) {
        try await asMigrationError(session) { session throws(PGError) in
            let rows = try session.execute(
                Command(
                    """
                    SELECT after_space, after_id, rows_done, rows_all FROM sync.migration_step
                    WHERE line = $1 AND number = $2 AND step = $3
                    """, Ledger.key(step, file)))
            let position = rows.isNull(0, 0) ? nil : Key(space: rows.id(0, 0), id: rows.id(0, 1))
            var all = rows.int(0, 3)
            if all == 0 {
                all = try TableExtent.read(SQLName(schema: table.schema, name: table.table), session)?.rows ?? 0
                try session.execute(
                    Command(
                        "UPDATE sync.migration_step SET rows_all = $4 WHERE line = $1 AND number = $2 AND step = $3",
                        Ledger.key(step, file) + [.int(all)]))
            }
            return (position, rows.int(0, 2), all)
        }
    }

    /// Runs one batch. Locks the spaces of the batch's rows first, in the order that all transactions use, so that it
    /// cannot deadlock with a push.
    private func batch(after position: Key?, _ size: Int, _ session: Session) async throws(MigrationError) -> Batch {
        try await transaction(session) { session in
            let after = position.map { (_: Key) in "(space_id, id) > ($1, $2)" } ?? "true"
            let from: [Parameter] = [
                .id(position?.space ?? ID(high: 0, low: 0)), .id(position?.id ?? ID(high: 0, low: 0)),
            ]
            let edge = try session.execute(
                Command(
                    Statement(
                        unchecked: """
                            SELECT space_id, id, $1::uuid, $2::uuid FROM \(table) WHERE \(after)
                            ORDER BY space_id, id OFFSET $3 LIMIT 1
                            """), from + [.int(Int64(size - 1))]))
            var batch = Batch()
            if edge.count > 0 { batch.last = Key(space: edge.id(0, 0), id: edge.id(0, 1)) }
            let through = batch.last == nil ? "" : " AND (space_id, id) <= ($3, $4)"
            let values =
                from + [.id(batch.last?.space ?? ID(high: 0, low: 0)), .id(batch.last?.id ?? ID(high: 0, low: 0))]
            let rows = "FROM \(table) WHERE \(after)\(through) AND ($1, $2, $3, $4) IS NOT NULL"
            let heads = try session.execute(
                Command(
                    Statement(
                        unchecked: """
                            SELECT space_id, head FROM sync.space
                            WHERE app = $5 AND space_id IN (SELECT space_id \(rows)) ORDER BY space_id FOR UPDATE
                            """), values + [.text(table.schema)]))
            // Forces a nested loop over the batch's rows, so that the whole table is never scanned, whatever the
            // statistics say.
            try session.runScript("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off")
            let recordGuard = RecordGuard(file: file, step: step, tables: tables)
            let before = try recordGuard.count(session)
            let returning = isRepublishing ? " RETURNING \(alias).space_id, \(alias).id, \(alias).alive" : ""
            let changed = try session.execute(
                Command(
                    Statement(
                        unchecked:
                            "WITH batch AS MATERIALIZED (SELECT space_id, id \(rows))\n\(update.text)\(returning)"
                    ), values))
            var (updates, spaces) = (Int64(changed.count), Int64(0))
            if isRepublishing {
                let own = before.tables.values.first { $0.name == name }
                if let own { try recordGuard.requireSight(of: own, session) }
                let (records, grown) = try number(changed, heads, recordGuard, session)
                (updates, spaces) = (updates + records, grown)
            }
            CrashPoint.pass()
            batch.count = size
            if batch.last == nil {
                // The last batch has no edge that shows its number of rows.
                let count = try session.execute(Command(Statement(unchecked: "SELECT count(*) \(rows)"), values))
                batch.count = Int(count.int(0, 0))
            }
            let key: [Parameter] = batch.last.map { [.id($0.space), .id($0.id)] } ?? [.null(.uuid), .null(.uuid)]
            let advancing = Command(
                """
                UPDATE sync.migration_step
                SET after_space = coalesce($4, after_space), after_id = coalesce($5, after_id),
                    rows_done = rows_done + $6
                WHERE line = $1 AND number = $2 AND step = $3
                """, Ledger.key(step, file) + key + [.int(Int64(batch.count))])
            // PostgreSQL's counters show whether triggers have changed more rows.
            let numbering = RecordGuard.Numbering.done(name, updates: updates, spaces: spaces)
            try recordGuard.end(since: before, writing: [advancing], numbering, session)
            try session.commitPipeline([])
            return batch
        }
    }

    private var isRepublishing: Bool { step.isRepublishing }

    private var name: SQLName { SQLName(schema: table.schema, name: table.table) }

    /// Gives the changed records, except deleted ones, the next sequence numbers of their spaces. The order is that of
    /// the records' keys, so that the result does not depend on the sizes of the batches.
    ///
    /// - Returns: the number of these records, and the number of their spaces.
    private func number(
        _ changed: Rows, _ heads: Rows, _ recordGuard: RecordGuard, _ session: isolated Session
    ) throws -> (records: Int64, spaces: Int64) {
        var next = Dictionary(uniqueKeysWithValues: (0..<heads.count).map { (heads.id($0, 0), heads.int($0, 1)) })
        var (spaces, ids, numbers): ([ID], [ID], [Int64]) = ([], [], [])
        let rows = (0..<changed.count).filter { changed.bool($0, 2) }
            .sorted { (changed.id($0, 0), changed.id($0, 1)) < (changed.id($1, 0), changed.id($1, 1)) }
        for row in rows {
            let space = changed.id(row, 0)
            // The space has no head, or has the last number that there is: the rows were made by SQL.
            guard let head = next[space], head < .max else { throw BatchRunner.unnumbered(space, table) }
            next[space] = head + 1
            spaces.append(space)
            ids.append(changed.id(row, 1))
            numbers.append(head + 1)
        }
        if ids.isEmpty { return (0, 0) }
        let renumbering = Statement(
            unchecked: """
                WITH numbered AS (
                    UPDATE \(table) AS record SET seq = wanted.seq, device = NULL, seen = NULL, since = NULL
                    FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS wanted (space_id, id, seq)
                    WHERE record.space_id = wanted.space_id AND record.id = wanted.id
                    RETURNING record.seq = wanted.seq AS is_right)
                SELECT count(*) FROM numbered WHERE is_right
                """)
        let touched = Array(Set(spaces))
        let written = try session.pipeline([
            Spaces.recognizing,
            Command(renumbering, [.ids(spaces), .ids(ids), .ints(numbers)]),
            Command(
                Statement(
                    unchecked: """
                        WITH grown AS (
                            UPDATE sync.space AS space SET head = wanted.head, \(Spaces.enteringEra)
                            FROM unnest($1::uuid[], $2::bigint[]) AS wanted (space_id, head), sync.server AS server
                            WHERE space.space_id = wanted.space_id AND space.app = $3
                            RETURNING space.head = wanted.head AS is_right)
                        SELECT count(*) FROM grown WHERE is_right
                        """), [.ids(touched), .ints(touched.compactMap { next[$0] }), .text(table.schema)]),
        ])
        if written[1].int(0, 0) != Int64(ids.count) { throw recordGuard.unwritten("\(table)") }
        if written[2].int(0, 0) != Int64(touched.count) { throw recordGuard.unwritten("sync.space") }
        return (Int64(ids.count), Int64(touched.count))
    }

    private static func unnumbered(_ space: ID, _ table: TableName) -> PGError {
        .statement(
            ServerReport(
                sqlState: "",
                message: "\(table) has rows of the space \(space), which sync.space has no number for. "
                    + "Remove them, or give the space a row there"))
    }

    /// Pauses after a batch, so that other work can use the machine. Waits longer while a replica lags behind.
    ///
    /// - Parameter isBlind: true if it was already reported that the login may not see the lag of some replicas.
    private func rest(
        after took: Duration, _ session: Session, _ isBlind: inout Bool
    ) async throws(MigrationError) {
        if limits.backfillShare < 1 { try await pause(took * ((1 - limits.backfillShare) / limits.backfillShare)) }
        while true {
            let (lag, hidden) = try await asMigrationError(session) { session throws(PGError) in
                let rows = try session.execute(
                    Command(
                        """
                        SELECT coalesce(max(extract(epoch FROM replay_lag)) * 1000, 0)::bigint,
                            count(*) FILTER (WHERE state IS NULL)
                        FROM pg_stat_replication
                        """))
                return (rows.int(0, 0), rows.int(0, 1))
            }
            // Without pg_read_all_stats, the view has a row for each replica, but with empty columns.
            if hidden > 0, !isBlind {
                isBlind = true
                report(.blind(StepName(step, of: file)))
            }
            guard lag > limits.replicaLagMax.wholeMilliseconds else { return }
            report(.lagging(StepName(step, of: file), behind: .milliseconds(lag)))
            try await pause(.seconds(1))
        }
    }

    // MARK: Errors

    /// Runs `body`, and converts PostgreSQL's errors into migration errors with the path and line of this step.
    @discardableResult
    private func asMigrationError<Value: Sendable>(
        _ session: Session, _ body: @Sendable (isolated Session) throws(PGError) -> Value
    ) async throws(MigrationError) -> Value {
        do throws(PGError) {
            return try await body(session)
        } catch {
            throw .failed(path: file.path, line: step.line, error)
        }
    }

    private func transaction<Value: Sendable>(
        _ session: Session, _ body: @Sendable (isolated Session) throws -> Value
    ) async throws(MigrationError) -> Value {
        do {
            return try await session.transaction { session in try body(session) }
        } catch let error as MigrationError {
            throw error
        } catch let error as PGError {
            throw .failed(path: file.path, line: error.report?.line(in: update) ?? update.line, error)
        } catch {
            preconditionFailure("A batch throws nothing else: \(error)")
        }
    }
}

extension PGError {
    var isLockTimeout: Bool { if case .lockTimeout = self { true } else { false } }
    var isDeadlock: Bool { if case .deadlock = self { true } else { false } }
}
