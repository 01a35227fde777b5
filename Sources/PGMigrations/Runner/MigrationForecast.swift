package import SQLText

/// What the next run of migrations would do and what it would meet, as the database is now.
package struct MigrationForecast: Sendable, Hashable {
    /// Whether the database has no ledger, so that nobody uses it and contracts need not wait.
    package let isNew: Bool
    /// In the order of the files; those of a contract are run after all others, unless the database is new.
    package let steps: [Step]

    /// A step that is to be run.
    package struct Step: Sendable, Hashable {
        package let file: MigrationFile
        package let step: MigrationStep
        /// The strongest on each table that is there already.
        package let locks: [Lock]
        /// How many rows its changes go through, as far as statistics tell; `nil` where they do not.
        package let rows: Int64?
        /// The conditions that a contract waits for, or a step after which servers of before cannot read what is there;
        /// empty for any other.
        package let conditions: [Condition]

        package var name: StepName { StepName(step, of: file) }
        /// True where some of it has transactions of its own, so that nobody can undo what it does to records.
        package var isUnwatched: Bool {
            step.mode == .statements && step.statements.contains { $0.action == .runCode }
        }

        package var changesRows: Bool {
            !step.changedTables.isEmpty || !rewrittenTables.isEmpty || step.isRepublishing && step.runsCode
        }

        /// The tables of the app that were there and that it writes anew as a whole, each once.
        package var rewrittenTables: [SQLName] { old(step.statements.rewrittenColumns.map(\.table)) }

        /// The tables of the app that were there and whose names it takes away, each once.
        package var takenTables: [SQLName] {
            old(step.statements.filter(\.takesTables).flatMap(\.relationsTaken))
        }

        private func old(_ tables: [SQLName]) -> [SQLName] {
            let made = file.steps.flatMap(\.statements).newRelations
            return tables.reduce(into: []) { old, table in
                if table.schema == file.id.line, !made.contains(table), !old.contains(table) { old.append(table) }
            }
        }
    }

    /// A lock on a table that is there, and what is done to the table meanwhile.
    package struct Lock: Sendable, Hashable {
        package let lock: TableLock
        package let extent: TableExtent
    }

    /// Something that must hold before a contract step may run.
    package struct Condition: Sendable, Hashable {
        /// `census(<2.0.0)=0 for 30d`, or what every contract asks.
        package let text: String
        /// Why it does not hold now; `nil` where it does.
        package let obstacle: String?
    }
}

extension SQLStatement {
    fileprivate var takesTables: Bool {
        switch action {
        case .drop(let dropping): dropping.kind == .table
        case .rename(let renaming): renaming.kind == .table
        default: false
        }
    }
}

extension MigrationStep {
    /// The tables whose rows its statements change, each once.
    var changedTables: [SQLName] {
        statements.reduce(into: []) { tables, statement in
            guard case .changeRows(let change) = statement.action, !tables.contains(change.table) else { return }
            tables.append(change.table)
        }
    }

    /// True where functions that it calls or code that it runs may change what its text does not name.
    var runsCode: Bool {
        statements.contains { statement in
            switch statement.action {
            case .select, .createQuery, .runCode, .other("ExplainStmt"), .other("ExecuteStmt"): true
            default: false
            }
        }
    }

    /// What its statements name and no database has: the rows that the runner gives a backfill's statement.
    var batchName: SQLName? {
        if case .batches = mode { SQLName(schema: nil, name: "batch") } else { nil }
    }
}
