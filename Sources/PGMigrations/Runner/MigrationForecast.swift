package import SQLText

/// A forecast of the next run of migrations, from the present state of the database: the steps, their locks and the
/// conditions that they wait for.
package struct MigrationForecast: Sendable, Hashable {
    /// True if the database has no ledger, so that nobody uses it yet and contract steps need not wait.
    package let isNew: Bool
    /// The steps to run, in the order of the files. Contract steps (which remove old objects) come after all other
    /// steps, unless the database is new.
    package let steps: [Step]

    /// A step that is to be run.
    package struct Step: Sendable, Hashable {
        package let file: MigrationFile
        package let step: MigrationStep
        /// The strongest lock on each table that exists already.
        package let locks: [Lock]
        /// An estimate of the number of rows that the step has still to process; `nil` if PostgreSQL's statistics do
        /// not show it.
        package let rows: Int64?
        /// The conditions that must hold before the step runs. Only two kinds of step have conditions: contract steps,
        /// and steps that make tables unreadable for servers of the previous release.
        package let conditions: [Condition]

        package var name: StepName { StepName(step, of: file) }
        /// True if the step may run code that commits transactions of its own. Changes that such code makes to records
        /// cannot be undone.
        package var isUnwatched: Bool {
            step.mode == .statements && step.statements.contains { $0.action == .runCode }
        }

        package var changesRows: Bool {
            !step.changedTables.isEmpty || !rewrittenTables.isEmpty || step.isRepublishing && step.runsCode
        }

        /// The app's existing tables that the step rewrites as a whole, each once.
        package var rewrittenTables: [SQLName] { old(step.statements.rewrittenColumns.map(\.table)) }

        /// The app's existing tables that the step drops or renames, each once.
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

    /// A lock on an existing table, with the size of the table.
    package struct Lock: Sendable, Hashable {
        package let lock: TableLock
        package let extent: TableExtent
    }

    /// A condition that must hold before a step may run, for example that no device uses an old app version.
    package struct Condition: Sendable, Hashable {
        /// The condition as text, such as `census(<2.0.0)=0 for 30d`. In `no server at work that ends before sync/12`,
        /// the servers meant are those that do not know the migration `sync/12`.
        package let text: String
        /// The reason why the condition does not hold at present; `nil` if it holds.
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
    /// The tables whose rows the step's statements change, each once.
    var changedTables: [SQLName] {
        statements.reduce(into: []) { tables, statement in
            guard case .changeRows(let change) = statement.action, !tables.contains(change.table) else { return }
            tables.append(change.table)
        }
    }

    /// True if the step calls functions or runs code that may change tables that the step's text does not name.
    var runsCode: Bool {
        statements.contains { statement in
            switch statement.action {
            case .select, .createQuery, .runCode, .other("ExplainStmt"), .other("ExecuteStmt"): true
            default: false
            }
        }
    }

    /// The name by which a backfill's statement refers to the rows of the current batch. No table of the database has
    /// that name; the runner provides the relation.
    var batchName: SQLName? {
        if case .batches = mode { SQLName(schema: nil, name: "batch") } else { nil }
    }
}
