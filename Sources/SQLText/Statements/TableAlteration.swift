internal import StrictJSON

/// An `ALTER TABLE` statement with all its commands, which share one lock. The relation may also be an index, a view or
/// a sequence.
package struct TableAlteration: Sendable, Hashable {
    package let relation: SQLName
    package let kind: ObjectKind
    package let ifExists: Bool
    package let commands: [Command]

    /// A command of an `ALTER TABLE` statement, such as `ADD COLUMN`. A statement may contain several, separated by
    /// commas.
    package enum Command: Sendable, Hashable {
        case addColumn(SQLColumn, ifNotExists: Bool)
        case dropColumn(String, ifExists: Bool)
        /// Changes a column's type to this one; the statement does not state the old type.
        case setType(String, SQLTypeName)
        case setNotNull(String)
        case dropNotNull(String)
        case setDefault(String, SQLExpression)
        case dropDefault(String)
        case addIdentity(String)
        case addConstraint(SQLConstraint)
        case validateConstraint(String)
        case dropConstraint(String, ifExists: Bool)
        case rowSecurity(RowSecurity)
        case attachPartition(SQLName)
        case detachPartition(SQLName, concurrently: Bool)
        /// Sets options such as `fillfactor`, or a view's `security_invoker`.
        case setOptions([String: String])
        /// Any other command, with the parser's name for it, such as `AT_ClusterOn`.
        case other(String)
    }

    /// A change to a table's row-level security.
    package enum RowSecurity: String, Sendable, Hashable {
        case enable = "AT_EnableRowSecurity"
        case disable = "AT_DisableRowSecurity"
        case force = "AT_ForceRowSecurity"
        case noForce = "AT_NoForceRowSecurity"
    }
}

extension TableAlteration {
    init?(_ node: JSONNode) {
        guard let relation = SQLName(relation: node["relation"]) else { return nil }
        self.relation = relation
        kind = ObjectKind(node.text("objtype"))
        ifExists = node.flag("missing_ok")
        commands = node.list("cmds").map { Command($0.body) }
    }
}

extension TableAlteration.Command {
    init(_ node: JSONNode) {
        let subtype = node.text("subtype") ?? ""
        self =
            Self.ofColumn(node, subtype) ?? Self.ofConstraint(node, subtype) ?? Self.ofTable(node, subtype)
            ?? .other(subtype)
    }

    private static func ofColumn(_ node: JSONNode, _ subtype: String) -> Self? {
        let name = node.text("name") ?? ""
        let definition = node["def"]
        switch subtype {
        case "AT_AddColumn":
            guard let column = SQLColumn(definition?["ColumnDef"]) else { return nil }
            return .addColumn(column, ifNotExists: node.flag("missing_ok"))
        case "AT_DropColumn": return .dropColumn(name, ifExists: node.flag("missing_ok"))
        case "AT_AlterColumnType":
            guard let type = SQLTypeName(definition?["ColumnDef"]?["typeName"]) else { return nil }
            return .setType(name, type)
        case "AT_SetNotNull": return .setNotNull(name)
        case "AT_DropNotNull": return .dropNotNull(name)
        case "AT_ColumnDefault":
            return definition.map { .setDefault(name, SQLExpression($0)) } ?? .dropDefault(name)
        case "AT_AddIdentity": return .addIdentity(name)
        default: return nil
        }
    }

    private static func ofConstraint(_ node: JSONNode, _ subtype: String) -> Self? {
        let name = node.text("name") ?? ""
        switch subtype {
        case "AT_AddConstraint":
            return node["def"]?["Constraint"].flatMap { SQLConstraint($0) }.map { .addConstraint($0) }
        case "AT_ValidateConstraint": return .validateConstraint(name)
        case "AT_DropConstraint": return .dropConstraint(name, ifExists: node.flag("missing_ok"))
        default: return nil
        }
    }

    private static func ofTable(_ node: JSONNode, _ subtype: String) -> Self? {
        let definition = node["def"]
        let partition = definition?["PartitionCmd"]
        switch subtype {
        case "AT_AttachPartition": return SQLName(relation: partition?["name"]).map { .attachPartition($0) }
        case "AT_DetachPartition":
            return SQLName(relation: partition?["name"]).map {
                .detachPartition($0, concurrently: partition?.flag("concurrent") ?? false)
            }
        case "AT_SetRelOptions": return .setOptions(SQLStatement.options(definition?["List"]?.list("items") ?? []))
        default: return TableAlteration.RowSecurity(rawValue: subtype).map { .rowSecurity($0) }
        }
    }
}
