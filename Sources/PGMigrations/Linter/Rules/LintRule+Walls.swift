internal import PGStore
internal import SQLText

/// Rules about row-level security, which keeps spaces apart.
extension LintRule {
    static let walls = [
        recordTable, tableWithoutWall, wallLeftOpen, policyChanged, openedToAll, ownerChanged, roleChanged,
        triggerDisabled, anotherIdentity, indexWithoutSpace, foreignKey, viewWithoutInvoker, definerWithoutPath,
    ]

    private static let recordTable = LintRule(
        "record-table", "a table of an app lacks the columns of a record, or row-level security",
        advice: "CREATE TABLE app.t (LIKE sync.record INCLUDING ALL, …) and SELECT sync.enroll('app.t') in one file."
    ) { (file: LintedFile, surroundings) in
        let enrolled = Set(
            file.statements.flatMap(\.calls).filter { $0.function == SQLName(schema: "sync", name: "enroll") }
                .flatMap(\.constants).map { SQLName(text: $0) })
        return file.statements.compactMap { statement in
            if case .createQuery(let made) = statement.action, made.kind == .table, !made.isTemporary,
                surroundings.holdsRecords(made.name)
            {
                return Violation(statement: statement, subject: "\(made.name)")
            }
            guard case .createTable(let definition) = statement.action, surroundings.holdsRecords(definition.table),
                !definition.isTemporary
            else {
                return nil
            }
            let isRecord = definition.likes.contains {
                $0.source == SQLName(schema: "sync", name: "record") && $0.includesAll
            }
            if isRecord, enrolled.contains(definition.table) { return nil }
            return Violation(statement: statement, subject: "\(definition.table)")
        }
    }

    private static let tableWithoutWall = LintRule(
        "table-without-wall",
        "a table that belongs to spaces is not kept apart by them",
        advice:
            "Begin its primary key with space_id; ENABLE and FORCE ROW LEVEL SECURITY and CREATE POLICY in this file."
    ) { (file: LintedFile, surroundings) in
        file.statements.compactMap { statement in
            guard case .createTable(let definition) = statement.action, !definition.isTemporary,
                !surroundings.holdsRecords(definition.table),
                definition.columns.contains(where: { $0.name == Self.spaceColumn })
            else { return nil }
            let walls = file.statements.flatMap { $0.walls(of: definition.table) }
            let isKept =
                definition.primaryKey?.first == Self.spaceColumn && walls.contains(.enable) && walls.contains(.force)
                && file.statements.contains { statement in
                    if case .createPolicy(_, definition.table) = statement.action { true } else { false }
                }
            // The template of every app's tables has no rows, and `sync.enroll` protects the tables made from it.
            let isTemplate = definition.table == SQLName(schema: "sync", name: "record")
            return isKept || isTemplate ? nil : Violation(statement: statement, subject: "\(definition.table)")
        }
    }

    private static let wallLeftOpen = LintRule(
        "wall-left-open", "row-level security is off when the step ends",
        advice: "Turn it on again (ENABLE, FORCE ROW LEVEL SECURITY) before the end of the same transaction."
    ) { (step: MigrationStep, _) in
        step.statements.indices.flatMap { index -> [Violation] in
            let statement = step.statements[index]
            guard case .alterTable(let alteration) = statement.action else { return [] }
            let later =
                step.isTransactional
                ? step.statements[(index + 1)...].flatMap { $0.walls(of: alteration.relation) } : []
            return statement.walls(of: alteration.relation).compactMap { change in
                let isOpen =
                    switch change {
                    case .disable: !later.contains(.enable)
                    case .noForce: !later.contains(.force)
                    case .enable, .force: false
                    }
                return isOpen ? Violation(statement: statement, subject: "\(alteration.relation)") : nil
            }
        }
    }

    private static let indexWithoutSpace = LintRule(
        "index-without-space", "an index or unique constraint on records does not begin with their space",
        advice: "Put space_id first: every statement names the space, and spaces must not see each other's values."
    ) { statement, _, surroundings in
        switch statement.action {
        case .createIndex(let index):
            let isSpaced = index.columns.first.flatMap { $0 } == Self.spaceColumn
            return surroundings.holdsRecords(index.table) && !isSpaced ? ["\(index.table)"] : []
        case .createTable(let definition) where surroundings.holdsRecords(definition.table):
            return definition.constraints.filter(\.isSpaceless).map { _ in "\(definition.table)" }
        case .alterTable(let alteration) where surroundings.holdsRecords(alteration.relation):
            return alteration.commands.flatMap { command -> [SQLConstraint] in
                switch command {
                case .addConstraint(let constraint): [constraint]
                case .addColumn(let column, _): column.constraints
                default: []
                }
            }.filter(\.isSpaceless).map { _ in "\(alteration.relation)" }
        default: return []
        }
    }

    private static let foreignKey = LintRule(
        "foreign-key-between-records", "a reference may arrive before its target, and a foreign key would refuse it",
        advice: "Leave it a plain uuid column with an index on (space_id, column): the server keeps track of targets."
    ) { statement, _, surroundings in
        let constraints: [(SQLName, SQLConstraint)]
        switch statement.action {
        case .createTable(let definition): constraints = definition.constraints.map { (definition.table, $0) }
        case .alterTable(let alteration):
            constraints = alteration.commands.flatMap { command -> [SQLConstraint] in
                switch command {
                case .addConstraint(let constraint): [constraint]
                case .addColumn(let column, _): column.constraints
                default: []
                }
            }.map { (alteration.relation, $0) }
        default: constraints = []
        }
        return constraints.filter { $0.1.kind.isForeignKey && surroundings.holdsRecords($0.0) }.map { "\($0.0)" }
    }

    private static let viewWithoutInvoker = LintRule(
        "view-without-security-invoker", "a view reads as its owner, so that it may show every space to everybody",
        advice: "CREATE VIEW … WITH (security_invoker = true). A materialized view cannot be walled: do without."
    ) { statement, _, _ in
        guard case .createQuery(let definition) = statement.action else { return [] }
        switch definition.kind {
        case .view:
            let value = definition.options["security_invoker"] ?? "false"
            return ["true", "on", "yes", "1"].contains(value) ? [] : ["\(definition.name)"]
        case .materializedView: return ["\(definition.name)"]
        default: return []
        }
    }

    private static let definerWithoutPath = LintRule(
        "definer-without-search-path",
        "a function with its owner's powers finds tables, types and operators where its caller says: in its temporary"
            + " tables first, unless the path names pg_temp last",
        advice: "Add SET search_path = pg_catalog, pg_temp, and name everything else with its schema."
    ) { statement, _, _ in
        switch statement.action {
        case .createFunction(let function)
        where function.isSecurityDefiner && function.settings[pathSetting]?.last != lastSchema:
            return ["\(function.name)"]
        // The text does not show whether the function ran with its owner's powers before.
        case .alterFunction(let change):
            let path = change.settings[pathSetting]
            let isOpen = path.map { $0.last != lastSchema } ?? (change.becomesDefiner || change.forgetsSettings)
            return isOpen ? ["\(change.name)"] : []
        default: return []
        }
    }

    private static let pathSetting = "search_path"
    private static let lastSchema = "pg_temp"

    private static let spaceColumn = "space_id"
}

extension SQLStatement {
    /// Returns the changes that the statement makes to the row-level security of the table.
    fileprivate func walls(of table: SQLName) -> [TableAlteration.RowSecurity] {
        guard case .alterTable(let alteration) = action, alteration.relation == table else { return [] }
        return alteration.commands.compactMap { command in
            guard case .rowSecurity(let change) = command else { return nil }
            return change
        }
    }
}

extension SQLConstraint {
    /// True if the constraint makes an index of its own whose first column is not `space_id`. Such an index spans all
    /// spaces.
    fileprivate var isSpaceless: Bool {
        switch kind {
        case .unique, .primaryKey: index == nil && columns.first != "space_id"
        case .exclusion, .check, .foreignKey: false
        }
    }
}
