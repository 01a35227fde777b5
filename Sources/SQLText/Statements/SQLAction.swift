/// The action of a statement, with the details that the statement's text shows.
package enum SQLAction: Sendable, Hashable {
    case createSchema(String, ifNotExists: Bool)
    case createTable(TableDefinition)
    case createQuery(QueryDefinition)
    case createIndex(IndexDefinition)
    case createFunction(FunctionDefinition)
    case createTrigger(String, on: SQLName, isReplacing: Bool)
    case createPolicy(String, on: SQLName)
    case createRule(on: SQLName, isReplacing: Bool)
    case createEnum(SQLName)
    case createDomain(SQLName, SQLTypeName, isConstrained: Bool)
    case createSequence(SQLName, ifNotExists: Bool)
    case createStatistics(on: [SQLName], ifNotExists: Bool)
    case createExtension(String, ifNotExists: Bool)
    case alterTable(TableAlteration)
    /// An `ALTER TYPE` statement: `ALTER TYPE … ADD VALUE` or `RENAME VALUE`.
    case alterEnum(SQLName, ifNotExists: Bool)
    case alterPolicy(on: SQLName)
    case alterFunction(FunctionAlteration)
    case drop(Dropping)
    case rename(Renaming)
    case changeRows(RowChange)
    case truncate([SQLName], cascades: Bool)
    case select(locksRows: Bool)
    case lock([SQLName], LockMode)
    /// `VACUUM`, also with `ANALYZE`. `ANALYZE` by itself is the case `analyze`.
    case vacuum([SQLName], isFull: Bool)
    case analyze([SQLName])
    case cluster(SQLName?)
    case reindex(ObjectKind, SQLName?, concurrently: Bool)
    case refresh(SQLName, concurrently: Bool)
    /// A transaction command such as `BEGIN`, `COMMIT` or `SAVEPOINT`, with the parser's name for it.
    case transaction(String)
    /// A change of a setting, `SET` or `RESET`; the name is `nil` for `RESET ALL`.
    case set(String?, isLocal: Bool)
    case comment(on: SQLName?)
    case grant(Granting)
    /// A change of a role such as `CREATE ROLE` or `ALTER ROLE … SET`, with the parser's name for it.
    case changeRole(String)
    /// Code that is not analysed as statements: `DO` and `CALL`.
    case runCode
    /// Any other statement, with the parser's name for it.
    case other(String)
}
