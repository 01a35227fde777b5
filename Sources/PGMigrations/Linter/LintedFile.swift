internal import PGStore
internal import SQLText

/// A migration file with its allowances, the comments that silence lint rules.
struct LintedFile {
    let file: MigrationFile
    let allowances: [LintAllowance]

    /// The path of the file: `fitiq/0013-add-mood.sql`.
    var path: String { file.path }

    var steps: [MigrationStep] { file.steps }

    var statements: [SQLStatement] { steps.flatMap(\.statements) }

    /// Reads a migration file and the allowances in its comments.
    ///
    /// - Throws: a syntax error. It cannot occur for a file that was already parsed once.
    init(_ file: MigrationFile) throws(SQLSyntaxError) {
        let script = try SQLScript(parsing: file.sql)
        self.file = file
        allowances = script.comments.compactMap { LintAllowance($0, in: script) }
    }
}

extension MigrationStep {
    /// True if all statements of the step run in one transaction, or if the step runs in batches, each in one
    /// transaction.
    var isTransactional: Bool { mode != .statements }

    /// The table that a backfill in batches updates; `nil` for any other step.
    var batchTable: SQLName? {
        guard case .batches(let table, _) = mode else { return nil }
        return SQLName(schema: table.schema, name: table.table)
    }
}
