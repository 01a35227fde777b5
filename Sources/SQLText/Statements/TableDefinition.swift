internal import StrictJSON

/// A `CREATE TABLE` statement.
package struct TableDefinition: Sendable, Hashable {
    package let table: SQLName
    package let ifNotExists: Bool
    package let columns: [SQLColumn]
    /// The constraints of the table and of its columns.
    package let constraints: [SQLConstraint]
    /// The `LIKE` clauses of the table.
    package let likes: [Likeness]
    /// The tables from which the table inherits, or of which it is a partition.
    package let parents: [SQLName]
    package let isPartition: Bool
    /// True if the table is dropped at the end of the session.
    package let isTemporary: Bool

    /// A `LIKE source` clause.
    package struct Likeness: Sendable, Hashable {
        package let source: SQLName
        package let includesAll: Bool
    }

    /// The columns of the primary key, wherever the statement defines it.
    package var primaryKey: [String]? { constraints.first { $0.kind == .primaryKey }?.columns }
}

extension TableDefinition {
    init?(_ node: JSONNode) {
        guard let table = SQLName(relation: node["relation"]) else { return nil }
        self.table = table
        ifNotExists = node.flag("if_not_exists")
        let elements = node.list("tableElts")
        let columns = elements.compactMap { SQLColumn($0["ColumnDef"]) }
        self.columns = columns
        let own = elements.compactMap { $0["Constraint"] }.compactMap { SQLConstraint($0) }
        constraints = columns.flatMap(\.constraints) + own
        likes = elements.compactMap { element in
            guard let like = element["TableLikeClause"], let source = SQLName(relation: like["relation"]) else {
                return nil
            }
            return Likeness(source: source, includesAll: like["options"]?.int64 == Int64(Int32.max))
        }
        parents = node.list("inhRelations").compactMap { SQLName(relation: $0) }
        isPartition = node.has("partbound")
        isTemporary = node["relation"]?.text("relpersistence") == "t"
    }
}
