import PGStore
import Postgres
import SQLText
import WireFormats

/// Checks, by PostgreSQL's own counters, that a transaction of a step changes records only as the step states. Gives
/// the records that are to be sent to devices again the next sequence numbers of their spaces.
struct RecordGuard {
    let file: MigrationFile
    let step: MigrationStep
    let tables: RecordTables
    /// The line of the file to name in error messages; `nil` if the file consists of a single step.
    let line: Int?

    init(
        file: MigrationFile, step: MigrationStep, tables: RecordTables, statement: SQLStatement? = nil
    ) {
        (self.file, self.step, self.tables) = (file, step, tables)
        line = statement?.line ?? (file.steps.count == 1 ? nil : step.line)
    }

    /// The explanation and the advice in the error for a step that removes records' rows from their table.
    static let noEnd =
        "Devices would keep them, and a later edit would bring one back without what it held: a record ends by a "
        + "deletion that is pushed, as a device pushes it. Write that instead, or leave the entity out of the next "
        + "version"

    /// The reason and the advice in the error for a step that changes records without stating an effect.
    static let unsaid =
        "and does not say what devices learn of that. Write ‘-- sync: silent’ (nothing) or "
        + "‘-- sync: republish(Entity)’ (all of them, anew)"

    /// A table of records, with the numbers of rows that the session has inserted, updated and deleted in it.
    struct Table: Sendable {
        let id: Int64
        let name: SQLName
        /// The table's name in SQL notation.
        let quoted: String
        let inserted: Int64
        let updated: Int64
        let deleted: Int64
        /// The number of the table's file on disk, which TRUNCATE and every statement that rewrites the table change.
        let file: Int64
        let isEmpty: Bool
        /// The permanent number of each column, by the column's name.
        var columns: [String: Int64] = [:]

        /// Returns the name of a column that has replaced another one of the same name since `old` was read; else
        /// `nil`.
        func column(replacedSince old: Table) -> String? {
            columns.filter { name, number in old.columns[name].map { $0 != number } ?? false }.keys.min()
        }
    }

    /// The numbers of rows that a session has changed, by PostgreSQL's counters.
    struct Counts: Sendable {
        /// The tables by their object identifiers.
        var tables: [Int64: Table] = [:]
        /// The number of updated and deleted rows in `sync.space`, the table that holds the last sequence number of
        /// each space.
        var spaces: Int64 = 0
    }

    /// Reads PostgreSQL's row counters before the step runs. If the step's records are to be sent to devices again,
    /// also locks the app's spaces. Pushes then wait, because they need a space's lock to assign sequence numbers.
    func begin(_ session: isolated Session) throws -> Counts {
        var counts = try count(session)
        guard !counts.tables.isEmpty else { return counts }
        guard try session.execute("SELECT current_setting('track_counts') = 'on'").bool(0, 0) else {
            throw MigrationError.misdeclared(
                path: file.path, line: line,
                "PostgreSQL does not count what a step changes, because ‘track_counts’ is off. Turn it on (ALTER "
                    + "SYSTEM RESET track_counts, or ALTER DATABASE … RESET track_counts)")
        }
        if step.isRepublishing {
            try session.execute(Spaces.recognizing)
            try session.execute(
                Command(
                    """
                    SELECT count(*)
                    FROM (SELECT FROM sync.space WHERE app = $1 ORDER BY space_id FOR UPDATE) AS locked
                    """, [.text(file.id.line)]))
            counts.spaces = try countSpaces(session)
        }
        return counts
    }

    /// Throws an error if the step changed records without declaring it. Then gives new sequence numbers to the records
    /// that are to be sent to devices again. Only COMMIT may follow.
    ///
    /// - Parameter ledger: the commands that update the ledger. They run here, so that changes by a trigger on the
    ///   ledger's tables count as changes by the step.
    /// - Throws: `misdeclared`, `PGError`.
    func end(
        since before: Counts, writing ledger: [Command], _ numbering: Numbering, _ session: isolated Session
    ) throws {
        try session.pipeline(ledger)
        // Runs deferred triggers and closes cursors, which would otherwise wait for COMMIT.
        try session.runScript("CLOSE ALL; SET CONSTRAINTS ALL IMMEDIATE")
        // If there was no table of records, the server's own files make no record either.
        if before.tables.isEmpty, file.id.line == MigrationLine.serverLineName { return }
        let after = try count(session)
        try checkSpaces(after, since: before, numbering)
        for (id, old) in before.tables.sorted(by: { $0.key < $1.key }) where !old.isEmpty {
            let isReplaced = after.tables.contains { $0.key != id && $0.value.name == old.name }
            if isReplaced { throw fault("it put another table in the place of \(old.name). \(RecordGuard.noEnd)") }
            if after.tables[id] == nil, tables.holds(old.name) {
                throw fault("it took \(old.name) away, with its records. \(RecordGuard.noEnd)")
            }
        }
        var changed: [Changed] = []
        for (id, table) in after.tables.sorted(by: { $0.key < $1.key }) {
            guard let change = try change(of: table, since: before.tables[id]) else { continue }
            changed.append(change)
        }
        guard step.isRepublishing else { return }
        switch numbering {
        case .done(let own, let updates, _):
            for change in changed {
                let (table, old) = (change.table, before.tables[change.table.id])
                let updated = table.updated - (old?.updated ?? 0)
                if table.name == own, table.inserted == old?.inserted ?? 0, updated == updates, !change.isOfAll {
                    continue
                }
                throw fault(
                    "a trigger changed records of \(table.name) besides those of the batch, which would get no numbers."
                        + " Make it a step without batches, which numbers whatever has changed")
            }
        case .atEnd: try number(changed, since: before, counted: after, session)
        }
    }

    /// A table whose records have changed.
    struct Changed {
        let table: Table
        /// True if all records of the table count as changed, because PostgreSQL's counters do not show which ones are.
        let isOfAll: Bool
    }

    /// Returns the change that the step made to the records of a table; `nil` if there is none.
    ///
    /// - Throws: `misdeclared` if rows of records were removed, or if the step does not declare the change.
    func change(of table: Table, since old: Table?) throws -> Changed? {
        guard let (did, isOfAll) = try words(of: table, since: old) else { return nil }
        switch step.effect {
        case nil: throw fault("\(did), \(RecordGuard.unsaid)")
        case .silent: break
        case .republish: if let problem = unnamed(table.name) { throw fault("\(did), and \(problem)") }
        }
        return Changed(table: table, isOfAll: isOfAll)
    }

    /// Returns a description of the change to the records of a table, for error messages. `isOfAll` is true if the
    /// change concerns all records. Returns `nil` if nothing changed.
    private func words(of table: Table, since old: Table?) throws -> (did: String, isOfAll: Bool)? {
        let changed = table.inserted + table.updated - (old.map { $0.inserted + $0.updated } ?? 0)
        let words = "it changed \(words(changed)) of \(table.name)"
        guard let old else { return changed > 0 ? (words, false) : nil }
        let deleted = table.deleted - old.deleted
        if deleted > 0 { throw fault("it deleted \(self.words(deleted)) of \(table.name). \(RecordGuard.noEnd)") }
        // No device misses anything from an empty table.
        if old.isEmpty { return changed > 0 ? (words, false) : nil }
        if table.file != old.file {
            if table.isEmpty { throw fault("it took every record of \(table.name). \(RecordGuard.noEnd)") }
            if table.inserted > old.inserted {
                throw fault(
                    "it emptied or rewrote \(table.name) and filled it, so that it cannot be told what is missing. "
                        + "Make two steps of it, or change what is there")
            }
            return ("it rewrote \(table.name)", true)
        }
        if let column = table.column(replacedSince: old) {
            return ("it put another column in the place of ‘\(column)’ of \(table.name)", true)
        }
        return changed > 0 ? (words, false) : nil
    }

    /// Returns the reason why the step's `republish` directive does not cover the records of a table. Returns `nil` if
    /// the directive covers them, or if no plan shows which entities the table holds.
    func unnamed(_ table: SQLName) -> String? {
        guard case .republish(let named) = step.effect, !tables.entities(of: file.id.line).isEmpty else { return nil }
        let kept = tables.entities(in: table)
        if kept.contains(where: named.contains) { return nil }
        let said = "‘republish(\(named.joined(separator: ", ")))’"
        return kept.isEmpty
            ? "no entity is kept there, so that \(said) says nothing of them"
            : "\(said) does not name what is kept there: \(kept.joined(separator: ", "))"
    }

    private func words(_ count: Int64) -> String { count == 1 ? "1 record" : "\(count) records" }

    func fault(_ problem: String) -> MigrationError {
        .misdeclared(path: file.path, line: line, problem)
    }

    // MARK: SQL

    /// Reads PostgreSQL's row counters of every table of records, recognized by its columns. The counters may also
    /// contain changes by the session's earlier transactions. So only the difference of two readings is meaningful.
    func count(_ session: isolated Session) throws(PGError) -> Counts {
        let rows = try session.execute(
            """
            SELECT c.oid::bigint, n.nspname::text, c.relname::text, format('%I.%I', n.nspname, c.relname),
                coalesce(pg_stat_get_xact_tuples_inserted(c.oid), 0),
                coalesce(pg_stat_get_xact_tuples_updated(c.oid), 0),
                coalesce(pg_stat_get_xact_tuples_deleted(c.oid), 0),
                c.relfilenode::bigint, coalesce(pg_relation_size(c.oid), 0) = 0
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND n.nspname <> 'sync' AND n.nspname !~ '^pg_'
                AND 7 = (
                    SELECT count(*) FROM pg_attribute AS a
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                        AND a.attname IN ('space_id', 'id', 'seq', 'alive', 'stamp', 'born', 'died'))
            """)
        var counts = Counts(spaces: try countSpaces(session))
        for row in 0..<rows.count {
            counts.tables[rows.int(row, 0)] = Table(
                id: rows.int(row, 0), name: SQLName(schema: rows.string(row, 1), name: rows.string(row, 2)),
                quoted: rows.string(row, 3), inserted: rows.int(row, 4), updated: rows.int(row, 5),
                deleted: rows.int(row, 6),
                file: rows.int(row, 7), isEmpty: rows.bool(row, 8))
        }
        if counts.tables.isEmpty { return counts }
        let columns = try session.execute(
            Command(
                """
                SELECT attrelid::bigint, attname::text, attnum::bigint FROM pg_attribute
                WHERE attrelid = ANY ($1::bigint[]::oid[]) AND attnum > 0 AND NOT attisdropped
                """, [.ints(Array(counts.tables.keys))]))
        for row in 0..<columns.count {
            counts.tables[columns.int(row, 0)]?.columns[columns.string(row, 1)] = columns.int(row, 2)
        }
        return counts
    }
}
