internal import PGStore
internal import SQLText
internal import WireFormats

/// The context in which a file is linted: the objects that it makes, those that earlier files made, and the tables that
/// the plans need.
struct LintSurroundings {
    /// The name of the migration line that the file belongs to: `sync`, or an app's name.
    let line: String
    /// The hub of each app (the shape of its tables on the server), by the app's schema.
    let hubs: [String: Hub]
    /// Tables, functions and types that the file itself makes. No other session waits for locks on them, and no server
    /// uses them yet.
    let created: Set<SQLName>
    /// The temporary relations that the file creates. They exist until the session ends, and statements name them
    /// without a schema.
    let temporary: Set<SQLName>
    /// The columns that constraints in earlier migration files prove not null.
    let proofs: NotNullProofs
    /// The row changes made by functions that this file or earlier migration files create.
    let functions: FunctionEffects
    /// The views, created by migrations, through which a table's rows can be changed.
    let views: ViewTables
    /// The tables of the app's entities, by every name that an entity has in any schema version. `nil` if the app's
    /// plan is not known.
    let entityNames: [String: SQLName]?
    /// The versions of the line's app; `nil` if no plan is known.
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

    /// Returns the row changes that a statement makes itself or through the functions that it calls. Only functions
    /// with known bodies are considered.
    func changes(by statement: SQLStatement) -> [RowChange] {
        (statement.changes + functions.changes(calling: statement.callsMade)).map(views.resolved)
    }

    /// Returns the tables of records that a step rewrites as a whole, each with the statement that does so. `subject`
    /// is the table's name, with the column's name if one column is the cause.
    func rewritten(in step: MigrationStep) -> [(subject: String, statement: SQLStatement)] {
        step.statements.rewrittenColumns.filter { holdsRecords($0.table) && !isNew($0.table) }.map { found in
            (found.column.isEmpty ? "\(found.table)" : "\(found.table).\(found.column)", found.statement)
        }
    }

    func isNew(_ name: SQLName) -> Bool { created.contains(name) }

    /// Returns true if the table is in an app's schema. The tables there hold the synced records of all spaces.
    func holdsRecords(_ table: SQLName) -> Bool {
        guard let schema = table.schema else { return false }
        return hubs[schema] != nil || schema == line && line != Self.serverLine
    }

    static let serverLine = "sync"

    /// Returns the entity whose records are stored in the table; `nil` if there is none.
    func entity(of table: SQLName) -> HubEntity? {
        table.schema.flatMap { hubs[$0] }?.entities.first { $0.table == table.name }
    }

    /// Returns the locks that the statement takes on tables that the file did not make. Other sessions may have to wait
    /// for these locks.
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

    /// The name of the function, type or sequence that the statement creates; `nil` for any other statement.
    fileprivate var createdName: SQLName? {
        switch action {
        case .createFunction(let function): function.name
        case .createEnum(let name), .createDomain(let name, _, _), .createSequence(let name, _): name
        default: nil
        }
    }
}
