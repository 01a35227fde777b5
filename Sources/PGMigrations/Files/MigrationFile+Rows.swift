import SQLText

extension MigrationFile {
    /// True if servers that do not know the file read and write the same rows as servers that do.
    ///
    /// False for a file that adds a column, even one that may be null: servers that do not know the column write rows
    /// in which it keeps its earlier value. False, too, for a file that makes PostgreSQL refuse writes.
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
