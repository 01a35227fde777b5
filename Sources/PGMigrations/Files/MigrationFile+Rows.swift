import SQLText

extension MigrationFile {
    /// True where a server that does not know the file reads and writes the same rows as one that does.
    ///
    /// A column is no such thing, not even one that may be null: who does not know it writes rows in which it says what
    /// they said before. Nor is what makes PostgreSQL refuse something.
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
