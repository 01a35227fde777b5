import PGStore
import Postgres
import SQLText

/// Findings about tables, indexes, constraints, triggers and stored values.
extension Doctor {
    func indexes(
        _ statuses: [MigrationStatus], _ session: isolated Session
    ) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT n.nspname, t.relname, c.relname, format('%I.%I', n.nspname, c.relname)
                FROM pg_index AS i
                    JOIN pg_class AS c ON c.oid = i.indexrelid
                    JOIN pg_class AS t ON t.oid = i.indrelid
                    JOIN pg_namespace AS n ON n.oid = t.relnamespace
                WHERE n.nspname = ANY ($1) AND NOT (i.indisvalid AND i.indisready)
                    -- Neither one that is being built.
                    AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index AS p WHERE p.index_relid = c.oid)
                ORDER BY 1, 2, 3
                """, [.texts(schemas)]))
        return (0..<rows.count).map { row in
            let (schema, index, name) = (rows.string(row, 0), rows.string(row, 2), rows.string(row, 3))
            let isToCome = pending(statuses).contains { statement in
                if case .createIndex(let new) = statement.action {
                    new.name == index && new.table.schema == schema
                } else {
                    false
                }
            }
            // An index that a failed REINDEX leaves behind is useless.
            let isRemains = index.contains(/_cc(new|old)\d*$/)
            let sql = isRemains ? "DROP INDEX CONCURRENTLY \(name);" : "REINDEX INDEX CONCURRENTLY \(name);"
            return .init(
                .invalidIndex, .error, "index \(schema).\(rows.string(row, 1)) (\(index))",
                "It is invalid: every change keeps it up, and no query uses it.",
                isToCome ? "‘syncserver migrate up’ builds it anew." : sql)
        }
    }

    func constraints(
        _ statuses: [MigrationStatus], _ session: isolated Session
    ) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT n.nspname, t.relname, c.conname, format('%I.%I', n.nspname, t.relname), quote_ident(c.conname)
                FROM pg_constraint AS c
                    JOIN pg_class AS t ON t.oid = c.conrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace
                WHERE n.nspname = ANY ($1) AND NOT c.convalidated
                ORDER BY 1, 2, 3
                """, [.texts(schemas)]))
        let pending = pending(statuses)
        return (0..<rows.count).compactMap { row in
            let (schema, table, name) = (rows.string(row, 0), rows.string(row, 1), rows.string(row, 2))
            let isToCome = pending.contains { statement in
                guard case .alterTable(let change) = statement.action,
                    change.relation == SQLName(schema: schema, name: table)
                else { return false }
                return change.commands.contains { command in
                    switch command {
                    case .validateConstraint(name), .dropConstraint(name, _): true
                    default: false
                    }
                }
            }
            if isToCome { return nil }
            return .init(
                .notValid, .warning, "constraint \(schema).\(table) (\(name))",
                "It is NOT VALID, and no pending file validates it: rows of before it may break it.",
                "ALTER TABLE \(rows.string(row, 3)) VALIDATE CONSTRAINT \(rows.string(row, 4));")
        }
    }

    func triggers(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT n.nspname || '.' || t.relname || ' (' || g.tgname || ')',
                    format('ALTER TABLE %I.%I ENABLE TRIGGER %I;', n.nspname, t.relname, g.tgname)
                FROM pg_trigger AS g
                    JOIN pg_class AS t ON t.oid = g.tgrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace
                WHERE n.nspname = ANY ($1) AND g.tgenabled IN ('D', 'R')
                ORDER BY 1
                """, [.texts(schemas)]))
        return (0..<rows.count).map { row in
            .init(
                .disabledTrigger, .error, "trigger \(rows.string(row, 0))",
                "It is disabled: what it would fill or note down is missing in what is written now.",
                rows.string(row, 1))
        }
    }

    func tables(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT n.nspname || '.' || c.relname,
                    format('ALTER TABLE %I.%I RESET (autovacuum_enabled);', n.nspname, c.relname)
                FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = ANY ($1) AND c.relkind = 'r'
                    AND EXISTS (
                        SELECT FROM pg_options_to_table(c.reloptions)
                        WHERE option_name = 'autovacuum_enabled' AND NOT option_value::boolean)
                ORDER BY 1
                """, [.texts(schemas)]))
        return (0..<rows.count).map { row in
            .init(
                .autovacuum, .warning, "table \(rows.string(row, 0))",
                "Autovacuum is off for it: it grows with every change.", rows.string(row, 1))
        }
    }

    /// Finds stored values that cannot be sent to any device.
    func values(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        var findings: [Diagnosis.Finding] = []
        for hub in hubs {
            findings += try UnsendableValues(hub).find(session).map { found in
                .init(
                    .values, .error, "column \(found.table).\(found.column)",
                    "\(found.description). Devices are told the default instead.", found.remedy)
            }
        }
        return findings
    }

    /// Returns the statements of all steps that are not done yet.
    private func pending(_ statuses: [MigrationStatus]) -> [SQLStatement] {
        let open = statuses.filter { !$0.isApplied }
        return migrator.lines.flatMap(\.files).flatMap { file -> [SQLStatement] in
            guard let status = open.first(where: { $0.id == file.id }) else { return [] }
            let done = status.records.filter { $0.state == .done }.map(\.number)
            return file.steps.filter { !done.contains($0.number) }.flatMap(\.statements)
        }
    }
}
