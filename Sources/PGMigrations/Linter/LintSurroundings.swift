internal import PGStore
internal import SQLText
internal import WireFormats

/// What a file is judged against: what it makes itself, what the files before it made, and what the plans need.
struct LintSurroundings {
    /// The line of the file.
    let line: String
    /// The tables of the apps, by schema.
    let hubs: [String: Hub]
    /// Tables, functions and types that the file itself makes. Nobody waits for their locks, and no server uses them.
    let created: Set<SQLName>
    /// Those of them that go with the session, and are found without a schema.
    let temporary: Set<SQLName>
    /// What the files before it proved of columns.
    let proofs: NotNullProofs
    /// The changes that the functions make which the line has made, the file's own among them.
    let functions: FunctionEffects
    /// The views of the line through which rows of a table are changed.
    let views: ViewTables
    /// The tables of the line's entities, by each name that one has in any version; `nil` where no plan is known.
    let entityNames: [String: SQLName]?
    /// The versions of the line's app; `nil` where no plan is known.
    let versions: Set<Schema.Version>?

    init(_ file: LintedFile, in setting: MigrationLinter.Setting, after past: MigrationLinter.Past) {
        line = file.file.id.line
        hubs = setting.hubs
        entityNames = setting.entityNames[line]
        versions = setting.versions[line]
        proofs = past.proofs
        functions = past.functions
        views = past.views
        created = Set(file.statements.compactMap(\.createdName)).union(file.statements.newRelations)
            .subtracting(past.relations)
        temporary = Set(file.statements.filter(\.createsTemporarily).compactMap(\.createdRelation))
    }

    /// Returns the changes that a statement makes by itself, and by the functions that it calls as far as they are
    /// known.
    func changes(by statement: SQLStatement) -> [RowChange] {
        (statement.changes + functions.changes(calling: statement.callsMade)).map(views.resolved)
    }

    /// Returns the tables of records, with a column where it is of one, that a step writes anew as a whole.
    func rewritten(in step: MigrationStep) -> [(subject: String, statement: SQLStatement)] {
        step.statements.rewrittenColumns.filter { holdsRecords($0.table) && !isNew($0.table) }.map { found in
            (found.column.isEmpty ? "\(found.table)" : "\(found.table).\(found.column)", found.statement)
        }
    }

    func isNew(_ name: SQLName) -> Bool { created.contains(name) }

    /// Whether it lies in an app's schema: its rows are records, of all spaces.
    func holdsRecords(_ table: SQLName) -> Bool {
        guard let schema = table.schema else { return false }
        return hubs[schema] != nil || schema == line && line != Self.serverLine
    }

    static let serverLine = "sync"

    /// The entity that is kept in the table.
    func entity(of table: SQLName) -> HubEntity? {
        table.schema.flatMap { hubs[$0] }?.entities.first { $0.table == table.name }
    }

    /// The locks that somebody may wait for.
    func locks(of statement: SQLStatement) -> [TableLock] { statement.locks.filter { !isNew($0.table) } }
}

extension SQLStatement {
    fileprivate var createsTemporarily: Bool {
        switch action {
        case .createTable(let definition): definition.isTemporary
        case .createQuery(let definition): definition.isTemporary
        default: false
        }
    }

    /// The names of what it makes that is no table or view.
    fileprivate var createdName: SQLName? {
        switch action {
        case .createFunction(let function): function.name
        case .createEnum(let name), .createDomain(let name, _, _), .createSequence(let name, _): name
        default: nil
        }
    }
}
