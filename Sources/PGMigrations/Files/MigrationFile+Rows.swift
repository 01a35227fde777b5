import SQLText

extension MigrationFile {
    /// True if the migration file changes neither the contents of rows nor the conditions for writing them. An example
    /// is a file that only adds an index that is not unique.
    ///
    /// False for a file that adds a column, because servers that do not know the column never change its value. False,
    /// too, for a file that may make PostgreSQL refuse writes.
    var leavesRowsAlone: Bool {
        steps.allSatisfy { step in
            step.statements.allSatisfy { statement in
                switch statement.action {
                case .createIndex(let index): !index.isUnique
                case .drop(let dropping): dropping.kind == .index
                case .createStatistics, .comment, .analyze, .vacuum, .reindex, .set: true
                default: false
                }
            }
        }
    }
}
