internal import StrictJSON

/// A `DROP …` statement.
package struct Dropping: Sendable, Hashable {
    package let kind: ObjectKind
    /// The names of the dropped objects. For a trigger, a policy or a rule, this is the name of its table.
    package let names: [SQLName]
    package let ifExists: Bool
    package let cascades: Bool
    package let concurrently: Bool
}

extension QueryDefinition {
    /// Reads the query of a view. If the query reads a single table, returns that table as `source`. `columns` then
    /// maps the name of each column of the view to the name of the table's column. For any other query, `source` is
    /// `nil`.
    static func base(of view: JSONNode) -> (source: SQLName?, columns: [String: String]) {
        guard let query = view["query"]?["SelectStmt"], query.list("fromClause").count == 1,
            let source = query.list("fromClause").first?["RangeVar"].flatMap({ SQLName(relation: $0) })
        else { return (nil, [:]) }
        let names = view.words("aliases")
        var columns: [String: String] = [:]
        for (index, target) in query.list("targetList").compactMap({ $0["ResTarget"] }).enumerated() {
            guard let column = target["val"]?["ColumnRef"]?.words("fields").last else { continue }
            columns[index < names.count ? names[index] : target.text("name") ?? column] = column
        }
        return (source, columns)
    }
}

extension Dropping {
    init(_ node: JSONNode) {
        let kind = ObjectKind(node.text("removeType"))
        self.kind = kind
        names = node.list("objects").compactMap { object in
            let parts = SQLName.parts(ofObject: object)
            return SQLName(parts: kind.isOfTable ? parts.dropLast() : parts)
        }
        ifExists = node.flag("missing_ok")
        cascades = node.text("behavior") == "DROP_CASCADE"
        concurrently = node.flag("concurrent")
    }
}

/// A renaming: `ALTER … RENAME`, or `ALTER … SET SCHEMA`, which changes the name as well.
package struct Renaming: Sendable, Hashable {
    /// The kind of the renamed object.
    package let kind: ObjectKind
    /// The renamed relation, or the relation to which a renamed column or constraint belongs. `nil` if another kind of
    /// object is renamed.
    package let relation: SQLName?
    /// The renamed object if it is not a relation, for example a function or a type.
    package let object: SQLName?
    /// The old name of the renamed column or constraint.
    package let part: String?
    package let newName: String
    package let ifExists: Bool
}

extension Renaming {
    init(_ node: JSONNode) {
        self.init(
            kind: ObjectKind(node.text("renameType") ?? node.text("objectType")),
            relation: SQLName(relation: node["relation"]),
            object: node["object"].flatMap { SQLName(object: $0) }, part: node.text("subname"),
            newName: node.text("newname") ?? node.text("newschema") ?? "", ifExists: node.flag("missing_ok"))
    }
}

/// A `CREATE INDEX` statement.
package struct IndexDefinition: Sendable, Hashable {
    package let name: String?
    package let table: SQLName
    /// The columns of the index's key; `nil` stands for an expression.
    package let columns: [String?]
    package let isUnique: Bool
    package let concurrently: Bool
    package let ifNotExists: Bool
}

extension IndexDefinition {
    init?(_ node: JSONNode) {
        guard let table = SQLName(relation: node["relation"]) else { return nil }
        self.table = table
        name = node.text("idxname")
        columns = node.list("indexParams").map { $0["IndexElem"]?.text("name") }
        isUnique = node.flag("unique")
        concurrently = node.flag("concurrent")
        ifNotExists = node.flag("if_not_exists")
    }
}

/// A statement that stores a query or its result: `CREATE VIEW`, `CREATE MATERIALIZED VIEW`, `CREATE TABLE AS` or
/// `SELECT INTO`.
package struct QueryDefinition: Sendable, Hashable {
    package let name: SQLName
    package let kind: ObjectKind
    package let isReplacing: Bool
    package let ifNotExists: Bool
    /// True if the relation is dropped at the end of the session.
    package let isTemporary: Bool
    /// The options, such as `security_invoker`, in lower case.
    package let options: [String: String]
    /// The table or view that a view reads, if it reads only one. Rows can then be changed through the view. `nil` for
    /// any other query.
    package let source: SQLName?
    /// The column names of `source`, by the names of the view's columns.
    package let columns: [String: String]
}

/// A `CREATE FUNCTION` or `CREATE PROCEDURE` statement.
package struct FunctionDefinition: Sendable, Hashable {
    package let name: SQLName
    package let isReplacing: Bool
    package let isSecurityDefiner: Bool
    package let language: String?
    /// The settings that the function runs with, by name: `search_path`, with its schemas in order.
    package let settings: [String: [String]]
    /// The text of the body. It is not parsed here, because it may be in another language.
    package let source: String?
}

extension FunctionDefinition {
    init?(_ node: JSONNode) {
        guard let name = SQLName(parts: node.words("funcname")) else { return nil }
        self.name = name
        isReplacing = node.flag("replace")
        let options = node.list("options").compactMap { $0["DefElem"] }
        func option(_ name: String) -> JSONNode? { options.first { $0.text("defname") == name }?["arg"] }
        isSecurityDefiner = option("security")?["Boolean"]?.flag("boolval") ?? false
        language = option("language")?.word
        settings = Self.settings(options)
        source = option("as")?["List"]?.words("items").last
    }

    /// Returns the settings of `SET name = …` among the options of a function; `RESET` and `FROM CURRENT` give no
    /// values.
    fileprivate static func settings(_ options: [JSONNode]) -> [String: [String]] {
        var settings: [String: [String]] = [:]
        for option in options where option.text("defname") == "set" {
            guard let setting = option["arg"]?["VariableSetStmt"], let name = setting.text("name") else { continue }
            settings[name] = setting.list("args").compactMap(\.constant)
        }
        return settings
    }
}

/// An `ALTER FUNCTION` or `ALTER PROCEDURE` statement.
package struct FunctionAlteration: Sendable, Hashable {
    package let name: SQLName
    /// True for `SECURITY DEFINER`.
    package let becomesDefiner: Bool
    /// The settings that the statement gives to the function, by name. The list is empty for a setting that is reset.
    package let settings: [String: [String]]
    /// True if the statement contains `RESET ALL`, which removes all settings of the function.
    package let forgetsSettings: Bool
}

extension FunctionAlteration {
    init?(_ node: JSONNode) {
        guard let name = SQLName(parts: node["func"]?.words("objname") ?? []) else { return nil }
        self.name = name
        let options = node.list("actions").compactMap { $0["DefElem"] }
        becomesDefiner = options.contains {
            $0.text("defname") == "security" && $0["arg"]?["Boolean"]?.flag("boolval") ?? false
        }
        settings = FunctionDefinition.settings(options)
        forgetsSettings = options.contains { $0["arg"]?["VariableSetStmt"]?.text("kind") == "VAR_RESET_ALL" }
    }
}

/// A change of privileges or ownership: `GRANT`, `REVOKE`, `ALTER DEFAULT PRIVILEGES`, `ALTER … OWNER TO`.
package struct Granting: Sendable, Hashable {
    package let kind: Kind
    /// True if privileges are revoked, or no longer granted by default.
    package let isRevoking: Bool
    /// True if PUBLIC is among the grantees.
    package let isForEveryone: Bool

    /// The kind of right that is granted or revoked.
    package enum Kind: Sendable, Hashable {
        case privileges
        /// Default privileges on objects that will be made.
        case defaults
        /// Membership of one role in another.
        case membership
        case ownership
    }
}

extension Granting {
    init(_ tag: String, _ node: JSONNode) {
        let statement = node["action"] ?? node
        switch tag {
        case "GrantRoleStmt": kind = .membership
        case "AlterOwnerStmt": kind = .ownership
        case "AlterDefaultPrivilegesStmt": kind = .defaults
        default: kind = .privileges
        }
        isRevoking = kind != .ownership && !statement.flag("is_grant")
        isForEveryone = statement.list("grantees").contains {
            $0["RoleSpec"]?.text("roletype") == "ROLESPEC_PUBLIC"
        }
    }
}
