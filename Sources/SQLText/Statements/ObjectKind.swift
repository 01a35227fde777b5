/// The kind of object that a statement drops, renames, moves or alters.
package enum ObjectKind: Sendable, Hashable {
    case table, column, constraint, index, view, materializedView, sequence, schema, type, domain, function, trigger
    case policy, rule
    /// Any other kind, with the parser's name for it, such as `OBJECT_EXTENSION`.
    case other(String)

    init(_ name: String?) {
        switch name {
        case "OBJECT_TABLE": self = .table
        case "OBJECT_COLUMN", "OBJECT_ATTRIBUTE": self = .column
        case "OBJECT_TABCONSTRAINT", "OBJECT_DOMCONSTRAINT": self = .constraint
        case "OBJECT_INDEX": self = .index
        case "OBJECT_VIEW": self = .view
        case "OBJECT_MATVIEW": self = .materializedView
        case "OBJECT_SEQUENCE": self = .sequence
        case "OBJECT_SCHEMA": self = .schema
        case "OBJECT_TYPE": self = .type
        case "OBJECT_DOMAIN": self = .domain
        case "OBJECT_FUNCTION", "OBJECT_PROCEDURE", "OBJECT_ROUTINE", "OBJECT_AGGREGATE": self = .function
        case "OBJECT_TRIGGER": self = .trigger
        case "OBJECT_POLICY": self = .policy
        case "OBJECT_RULE": self = .rule
        default: self = .other(name ?? "")
        }
    }

    /// True if objects of this kind are relations, whose names are looked up by `search_path`.
    package var isRelation: Bool {
        switch self {
        case .table, .index, .view, .materializedView, .sequence: true
        default: false
        }
    }

    /// True if objects of this kind belong to a table, as a trigger does. In the parse tree, the name of such an object
    /// begins with the name of its table.
    package var isOfTable: Bool {
        switch self {
        case .trigger, .policy, .rule: true
        default: false
        }
    }
}
