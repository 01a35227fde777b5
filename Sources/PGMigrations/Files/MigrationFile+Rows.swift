import SQLText

extension MigrationFile {
    /// True if servers that do not know the file read and write the same rows as servers that do.
    ///
    /// A file that adds a column returns false, even if the column may be null: a server that does not know the column
    /// writes rows in which the column keeps its earlier value. A file that makes PostgreSQL refuse writes returns
    /// false too.
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
