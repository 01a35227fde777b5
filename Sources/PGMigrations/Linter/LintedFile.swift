internal import PGStore
internal import SQLText

/// A migration file as the linter reads it.
struct LintedFile {
    let file: MigrationFile
    let allowances: [LintAllowance]

    /// `fitiq/0013-add-mood.sql`
    var path: String { file.path }

    var steps: [MigrationStep] { file.steps }

    var statements: [SQLStatement] { steps.flatMap(\.statements) }

    /// - Throws: never of a file that was read, since its text has been parsed once.
    init(_ file: MigrationFile) throws(SQLSyntaxError) {
        let script = try SQLScript(parsing: file.sql)
        self.file = file
        allowances = script.comments.compactMap { LintAllowance($0, in: script) }
    }
}

extension MigrationStep {
    /// Whether its statements, or one batch after the other, run in a transaction.
    var isTransactional: Bool { mode != .statements }

    /// The table of which a backfill takes batches.
    var batchTable: SQLName? {
        guard case .batches(let table, _) = mode else { return nil }
        return SQLName(schema: table.schema, name: table.table)
    }
}
