import SQLText

/// Checks the word of a step on what devices learn of it against its statements and the plans, before anything is run.
extension Migrator {
    /// - Parameter isNew: whether the database has no ledger: it has no records, and files of old may name what no plan
    ///   has any more.
    func checkDeclared(_ step: MigrationStep, of file: MigrationFile, isNew: Bool) throws(MigrationError) {
        guard file.id.line != MigrationLine.serverLineName else { return }
        for statement in step.statements {
            let problem: String? =
                switch statement.action {
                case .changeRows where step.effect == nil: throw .undeclared(path: file.path, line: statement.line)
                case _ where isNew: nil
                case .changeRows(let change): problem(of: change)
                case .truncate(let names, _):
                    names.first(where: tables.holds).map { "it takes every record of \($0). \(RecordWatch.noEnd)" }
                case .runCode where step.mode == .statements && step.isRepublishing:
                    "what DO and CALL change outside a transaction gets no numbers. Give it a step with a transaction"
                default: nil
                }
            if let problem { throw .misdeclared(path: file.path, line: statement.line, problem) }
        }
        if !isNew { try checkEntities(step, of: file) }
    }

    private func problem(of change: RowChange) -> String? {
        guard tables.holds(change.table) else { return nil }
        if change.verb == .delete { return "it deletes records of \(change.table). \(RecordWatch.noEnd)" }
        let ends = change.verb == .update ? change.columns.first(where: ["alive", "born", "died"].contains) : nil
        return ends.map { "it sets ‘\($0)’ of \(change.table), which only pushes do. \(RecordWatch.noEnd)" }
    }

    private func checkEntities(_ step: MigrationStep, of file: MigrationFile) throws(MigrationError) {
        let (app, line) = (file.id.line, step.statements.first?.line ?? step.line)
        let known = tables.entities(of: app)
        guard case .republish(let entities) = step.effect, !known.isEmpty else { return }
        if let unknown = entities.first(where: { !known.contains($0) }) {
            throw .misdeclared(
                path: file.path, line: line,
                "‘republish(\(unknown))’ names no entity of \(app); it has \(known.joined(separator: ", "))")
        }
        guard case .batches(let table, _) = step.mode else { return }
        let watch = RecordWatch(file: file, step: step, tables: tables)
        if let problem = watch.unnamed(SQLName(schema: table.schema, name: table.table)) {
            throw .misdeclared(path: file.path, line: line, "it changes records of \(table), and \(problem)")
        }
    }
}

extension MigrationStep {
    var isRepublishing: Bool {
        if case .republish = effect { true } else { false }
    }
}
