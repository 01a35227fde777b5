import SQLText

/// Checks, before a migration runs, that the effect on devices that each step declares agrees with the step's
/// statements and with the apps' plans.
extension Migrator {
    /// Checks that the effect on devices that a step declares agrees with its statements and with the apps' plans.
    ///
    /// - Parameter isNew: true if the database has no ledger. Such a database has no records, and old files may name
    ///   tables that no plan has any more.
    func checkDeclared(_ step: MigrationStep, of file: MigrationFile, isNew: Bool) throws(MigrationError) {
        guard file.id.line != MigrationLine.serverLineName else { return }
        let views = views(of: file)
        for statement in step.statements {
            if case .changeRows = statement.action, step.effect == nil {
                throw .undeclared(path: file.path, line: statement.line)
            }
            guard !isNew, let problem = problem(of: statement, in: step, views) else { continue }
            throw .misdeclared(path: file.path, line: statement.line, problem)
        }
        if !isNew { try checkEntities(step, of: file) }
    }

    /// Returns the views that the migration files of the same line create, up to and including `file`.
    private func views(of file: MigrationFile) -> ViewTables {
        var views = ViewTables()
        for line in lines where line.name == file.id.line {
            for file in line.files.prefix(file.id.number) {
                for statement in file.steps.flatMap(\.statements) { views.take(statement) }
            }
        }
        return views
    }

    private func problem(of statement: SQLStatement, in step: MigrationStep, _ views: ViewTables) -> String? {
        if case .truncate(let names, _) = statement.action, let table = names.first(where: tables.holds) {
            return "it takes every record of \(table). \(RecordGuard.noEnd)"
        }
        if statement.action == .runCode, step.mode == .statements, step.isRepublishing {
            return "what DO and CALL change outside a transaction gets no numbers. Give it a step with a transaction"
        }
        return statement.changes.lazy.map(views.resolved).compactMap { problem(of: $0) }.first
    }

    private func problem(of change: RowChange) -> String? {
        guard tables.holds(change.table) else { return nil }
        if change.deletesRows { return "it deletes records of \(change.table). \(RecordGuard.noEnd)" }
        let ends = change.updatedColumns.first(where: Self.identifying.contains)
        return ends.map { "it sets ‘\($0)’ of \(change.table), which only pushes do. \(RecordGuard.noEnd)" }
    }

    /// The columns that identify a record, and those that state if it is alive: the stamps of its creation and
    /// deletion, and the result of comparing them.
    private static let identifying: Set<String> = ["alive", "born", "died", "id", "space_id"]

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
        let recordGuard = RecordGuard(file: file, step: step, tables: tables)
        if let problem = recordGuard.unnamed(SQLName(schema: table.schema, name: table.table)) {
            throw .misdeclared(path: file.path, line: line, "it changes records of \(table), and \(problem)")
        }
    }
}

extension MigrationStep {
    var isRepublishing: Bool {
        if case .republish = effect { true } else { false }
    }
}
