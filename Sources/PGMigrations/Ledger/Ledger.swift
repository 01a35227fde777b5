import Postgres
import WireFormats

/// The record of the migrations that were applied to a database: `sync.migration`, one row for each file,
/// `sync.migration_step`, one row for each of its steps, and `sync.migration_resolution`, the verdicts of operators.
/// The runner makes these tables; no migration file may touch them.
///
/// A file without rows in `sync.migration_step` was applied as a whole: by an early release, whose files had no steps,
/// or by a baseline (a record that the file's tables existed already).
package struct Ledger: Sendable {
    var files: [LedgerRow] = []
    var steps: [MigrationID: [StepRecord]] = [:]

    /// The tables that `create` makes in the schema of the server's own line. No migration file makes them.
    static let tables = ["migration", "migration_step", "migration_resolution"]

    /// The DDL of the ledger. It runs only under the lock that prevents a second migration run, because two sessions
    /// that run `CREATE … IF NOT EXISTS` at the same time can make each other fail.
    private static let create = """
        CREATE SCHEMA IF NOT EXISTS sync;
        CREATE TABLE IF NOT EXISTS sync.migration (
            line        text        NOT NULL,
            number      integer     NOT NULL,
            name        text        NOT NULL,
            checksum    text        NOT NULL,
            applied_at  timestamptz NOT NULL DEFAULT now(),
            duration_ms bigint      NOT NULL,
            PRIMARY KEY (line, number)
        );
        CREATE TABLE IF NOT EXISTS sync.migration_step (
            line            text        NOT NULL,
            number          integer     NOT NULL,
            step            integer     NOT NULL,
            phase           text        NOT NULL CHECK (phase IN ('expand', 'backfill', 'verify', 'contract')),
            state           text        NOT NULL CHECK (state IN ('running', 'done', 'failed')),
            statements_done integer     NOT NULL DEFAULT 0,
            -- The key of the last row that the batches have been through.
            after_space     uuid,
            after_id        uuid,
            rows_done       bigint      NOT NULL DEFAULT 0,
            rows_all        bigint      NOT NULL DEFAULT 0,
            began_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
            duration_ms     bigint      NOT NULL DEFAULT 0,
            error           text        NOT NULL DEFAULT '',
            PRIMARY KEY (line, number, step)
        );
        CREATE TABLE IF NOT EXISTS sync.migration_resolution (
            id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            line    text        NOT NULL,
            number  integer     NOT NULL,
            verdict text        NOT NULL CHECK (verdict IN ('applied', 'pending')),
            because text        NOT NULL,
            who     text        NOT NULL,
            at      timestamptz NOT NULL DEFAULT now()
        );
        DO $$ BEGIN
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'syncserver_serving') THEN
                GRANT SELECT ON sync.migration_step TO syncserver_serving;
            END IF;
        END $$;
        """

    /// Makes the ledger's missing tables, with privileges only for the owner and the serving role.
    static func make(_ session: isolated Session) throws(PGError) {
        let sweep = try PrivilegeSweep([MigrationLine.serverLineName], session)
        try session.runScript(create)
        try sweep.run(session)
    }

    /// Reads the ledger; it is empty if the tables do not exist yet.
    static func read(_ session: isolated Session) throws(PGError) -> Ledger {
        let tables = try session.execute(
            Command("SELECT to_regclass('sync.migration') IS NOT NULL, to_regclass('sync.migration_step') IS NOT NULL"))
        var ledger = Ledger()
        if tables.bool(0, 0) {
            let rows = try session.execute(
                Command("SELECT line, number, name, checksum, applied_at FROM sync.migration ORDER BY line, number"))
            ledger.files = (0..<rows.count).map { row in
                LedgerRow(
                    id: MigrationID(line: rows.string(row, 0), number: Int(rows.int(row, 1))),
                    name: rows.string(row, 2), checksum: rows.string(row, 3), appliedAt: rows.timestamp(row, 4))
            }
        }
        if tables.bool(0, 1) {
            let rows = try session.execute(
                Command(
                    """
                    SELECT line, number, step, phase, state, statements_done, rows_done, rows_all, began_at, error
                    FROM sync.migration_step ORDER BY line, number, step
                    """))
            for row in 0..<rows.count {
                let id = MigrationID(line: rows.string(row, 0), number: Int(rows.int(row, 1)))
                let record = StepRecord(
                    number: Int(rows.int(row, 2)), phase: try word(rows.string(row, 3), of: id),
                    state: try word(rows.string(row, 4), of: id), statementsDone: Int(rows.int(row, 5)),
                    rowsDone: rows.int(row, 6), rowsAll: rows.int(row, 7), beganAt: rows.timestamp(row, 8),
                    error: rows.string(row, 9))
                ledger.steps[id, default: []].append(record)
            }
        }
        return ledger
    }

    /// Converts a text that is stored in the ledger into the case of the enumeration `Word` with this raw value.
    ///
    /// - Throws: `statement` if there is no such case, because a later release wrote the text or it was changed by
    ///   hand.
    static func word<Word: RawRepresentable<String>>(_ text: String, of id: MigrationID) throws(PGError) -> Word {
        if let word = Word(rawValue: text) { return word }
        throw .statement(
            ServerReport(
                sqlState: "",
                message: "The ledger says ‘\(text)’ of \(id.line)/\(id.number), which this release does not "
                    + "know. Use the release that wrote it"))
    }

    // MARK: Writing

    /// Returns the command that records that the step is about to run. It is committed before the step runs, so that a
    /// run that is killed leaves a trace.
    static func beginning(_ step: MigrationStep, of file: MigrationFile) -> Command {
        Command(
            """
            INSERT INTO sync.migration_step (line, number, step, phase, state) VALUES ($1, $2, $3, $4, 'running')
            ON CONFLICT (line, number, step) DO UPDATE SET state = 'running', error = ''
            """, key(step, file) + [.text(step.phase.rawValue)])
    }

    static func failing(_ step: MigrationStep, of file: MigrationFile, _ error: String) -> Command {
        Command(
            """
            UPDATE sync.migration_step SET state = 'failed', error = $4
            WHERE line = $1 AND number = $2 AND step = $3 AND state = 'running'
            """, key(step, file) + [.text(error)])
    }

    /// Returns the commands that record the step as done. If the step runs in one transaction, they are part of it.
    static func finishing(_ step: MigrationStep, of file: MigrationFile, took duration: Duration) -> [Command] {
        let milliseconds = Parameter.int(duration.wholeMilliseconds)
        let finish = Command(
            """
            UPDATE sync.migration_step SET state = 'done', error = '', duration_ms = duration_ms + $4
            WHERE line = $1 AND number = $2 AND step = $3
            """, key(step, file) + [milliseconds])
        let record = Command(
            """
            INSERT INTO sync.migration (line, number, name, checksum, duration_ms) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (line, number) DO UPDATE SET duration_ms = migration.duration_ms + excluded.duration_ms
            """,
            [
                .text(file.id.line), .int(Int64(file.id.number)), .text(file.name), .text(file.checksum), milliseconds,
            ])
        return [finish, record]
    }

    /// Returns the command that records the file as applied in full, without a row for each step. It is used for a
    /// database whose tables existed before its migrations were recorded.
    static func recording(_ file: MigrationFile) -> Command {
        Command(
            "INSERT INTO sync.migration (line, number, name, checksum, duration_ms) VALUES ($1, $2, $3, $4, 0)",
            [.text(file.id.line), .int(Int64(file.id.number)), .text(file.name), .text(file.checksum)])
    }

    /// Returns the command that removes the record of a step that is not done, as if the step had never begun.
    static func forgetting(_ step: MigrationStep, of file: MigrationFile) -> Command {
        Command(
            "DELETE FROM sync.migration_step WHERE line = $1 AND number = $2 AND step = $3 AND state <> 'done'",
            key(step, file))
    }

    /// Returns the SQL command that stores the number of the step's statements that are done.
    static func advancing(_ step: MigrationStep, of file: MigrationFile, to count: Int) -> Command {
        Command(
            "UPDATE sync.migration_step SET statements_done = $4 WHERE line = $1 AND number = $2 AND step = $3",
            key(step, file) + [.int(Int64(count))])
    }

    static func key(_ step: MigrationStep, _ file: MigrationFile) -> [Parameter] {
        [.text(file.id.line), .int(Int64(file.id.number)), .int(Int64(step.number))]
    }
}

extension Ledger {
    /// Returns the number of the last migration in the line that has removed something: one of its contract steps was
    /// run, even if only in part. Returns 0 if there is none. A server that only knows earlier migrations may not
    /// serve, because objects that it needs were removed.
    func floor(of line: String) -> Int {
        steps.filter { id, records in
            id.line == line
                && records.contains { $0.phase == .contract && ($0.state == .done || $0.statementsDone > 0) }
        }.map(\.key.number).max() ?? 0
    }
}
