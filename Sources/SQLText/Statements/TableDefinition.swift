internal import WireFormats

/// `CREATE TABLE`
package struct TableDefinition: Sendable, Hashable {
    package let table: SQLName
    package let ifNotExists: Bool
    package let columns: [SQLColumn]
    /// Of the table and of its columns.
    package let constraints: [SQLConstraint]
    /// The tables that it is `LIKE`, and whether `INCLUDING ALL`.
    package let likes: [Likeness]
    /// Whom it inherits from, or is a partition of.
    package let parents: [SQLName]
    package let isPartition: Bool
    /// It goes with the session.
    package let isTemporary: Bool

    /// `LIKE source`
    package struct Likeness: Sendable, Hashable {
        package let source: SQLName
        package let includesAll: Bool
    }

    /// The columns of its primary key, wherever that is stated.
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
