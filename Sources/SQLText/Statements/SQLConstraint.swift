internal import StrictJSON

/// A constraint of a table, or of a column.
package struct SQLConstraint: Sendable, Hashable {
    /// The kind of constraint.
    package enum Kind: Sendable, Hashable {
        case check(SQLExpression)
        case foreignKey(to: SQLName)
        case primaryKey, unique, exclusion
    }

    package let kind: Kind
    package let name: String?
    /// The columns of the constraint. For a constraint in a column's definition, this is that column.
    package let columns: [String]
    /// True if PostgreSQL checks existing rows when the constraint is added: it is not `NOT VALID`.
    package let isValidated: Bool
    /// The existing index that the constraint uses: `USING INDEX`.
    package let index: String?
}

extension SQLConstraint {
    /// Reads a constraint; `nil` for a node that the parser calls a constraint but that is a property of a column, such
    /// as `NOT NULL`.
    init?(_ node: JSONNode, column: String? = nil) {
        switch node.text("contype") {
        case "CONSTR_CHECK":
            guard let expression = node["raw_expr"] else { return nil }
            kind = .check(SQLExpression(expression))
        case "CONSTR_FOREIGN":
            guard let target = SQLName(relation: node["pktable"]) else { return nil }
            kind = .foreignKey(to: target)
        case "CONSTR_PRIMARY": kind = .primaryKey
        case "CONSTR_UNIQUE": kind = .unique
        case "CONSTR_EXCLUSION": kind = .exclusion
        default: return nil
        }
        name = node.text("conname")
        columns = column.map { [$0] } ?? node.words(kind.isForeignKey ? "fk_attrs" : "keys")
        isValidated = !node.flag("skip_validation")
        index = node.text("indexname")
    }
}

extension SQLConstraint.Kind {
    package var isForeignKey: Bool { if case .foreignKey = self { true } else { false } }
}
