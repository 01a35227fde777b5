internal import StrictJSON

/// A column that `CREATE TABLE` or `ADD COLUMN` makes.
package struct SQLColumn: Sendable, Hashable {
    package let name: String
    package let type: SQLTypeName
    package let defaultValue: SQLExpression?
    package let isNotNull: Bool
    /// True for `GENERATED … AS IDENTITY`.
    package let isIdentity: Bool
    /// True for `GENERATED ALWAYS AS (…) STORED`.
    package let isComputed: Bool
    package let constraints: [SQLConstraint]

    /// True if adding the column computes a value for each existing row, which rewrites the whole table.
    package var rewritesTable: Bool {
        type.isSerial || isIdentity || isComputed || defaultValue.map(\.isVolatile) == true
    }
}

extension SQLColumn {
    init?(_ node: JSONNode?) {
        guard let node, let name = node.text("colname"), let type = SQLTypeName(node["typeName"]) else { return nil }
        self.name = name
        self.type = type
        let parts = node.list("constraints").map(\.body)
        let kinds = parts.compactMap { $0.text("contype") }
        defaultValue = parts.first { $0.text("contype") == "CONSTR_DEFAULT" }?["raw_expr"].map { SQLExpression($0) }
        isIdentity = kinds.contains("CONSTR_IDENTITY")
        isComputed = kinds.contains("CONSTR_GENERATED")
        isNotNull = kinds.contains("CONSTR_NOTNULL") || kinds.contains("CONSTR_PRIMARY") || isIdentity
        constraints = parts.compactMap { SQLConstraint($0, column: name) }
    }
}
