internal import WireFormats

/// `DROP …`
package struct Dropping: Sendable, Hashable {
    package let kind: ObjectKind
    /// What goes; of a trigger, a policy or a rule the table that it is on.
    package let names: [SQLName]
    package let ifExists: Bool
    package let cascades: Bool
    package let concurrently: Bool
}

extension QueryDefinition {
    /// Reads what a view's query names: its only table, and the columns there by their names here.
    static func base(of view: JSONNode) -> (source: SQLName?, columns: [String: String]) {
        guard let query = view["query"]?["SelectStmt"], query.list("fromClause").count == 1,
            let source = query.list("fromClause").first?["RangeVar"].flatMap({ SQLName(relation: $0) })
        else { return (nil, [:]) }
        let names = view.words("aliases")
        var columns: [String: String] = [:]
        for (place, target) in query.list("targetList").compactMap({ $0["ResTarget"] }).enumerated() {
            guard let column = target["val"]?["ColumnRef"]?.words("fields").last else { continue }
            columns[place < names.count ? names[place] : target.text("name") ?? column] = column
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

/// `ALTER … RENAME`, or `ALTER … SET SCHEMA`, which renames as well.
package struct Renaming: Sendable, Hashable {
    /// What gets another name.
    package let kind: ObjectKind
    /// It, or what it belongs to: the table of a column. `nil` where it is no relation.
    package let relation: SQLName?
    /// A function, a type or the like, which is no relation either.
    package let object: SQLName?
    /// The column's or constraint's old name.
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

/// `CREATE INDEX`
package struct IndexDefinition: Sendable, Hashable {
    package let name: String?
    package let table: SQLName
    /// The columns of its key; `nil` for an expression.
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

/// `CREATE VIEW`, and `CREATE TABLE AS` in its three forms.
package struct QueryDefinition: Sendable, Hashable {
    package let name: SQLName
    package let kind: ObjectKind
    package let isReplacing: Bool
    package let ifNotExists: Bool
    /// It goes with the session.
    package let isTemporary: Bool
    /// `security_invoker` and the like, in lower case.
    package let options: [String: String]
    /// The only table or view that a view reads, so that it may be written; `nil` for others.
    package let source: SQLName?
    /// The names there of the columns that have others here.
    package let columns: [String: String]
}

/// `CREATE FUNCTION`, `CREATE PROCEDURE`
package struct FunctionDefinition: Sendable, Hashable {
    package let name: SQLName
    package let isReplacing: Bool
    package let isSecurityDefiner: Bool
    package let language: String?
    /// The settings that it runs with, by name: `search_path`, with its schemas in order.
    package let settings: [String: [String]]
    /// Its text, which is not parsed: it is another language's.
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

    /// What `SET name = …` says among the options of a function; of `RESET` and `FROM CURRENT` nothing.
    fileprivate static func settings(_ options: [JSONNode]) -> [String: [String]] {
        var settings: [String: [String]] = [:]
        for option in options where option.text("defname") == "set" {
            guard let setting = option["arg"]?["VariableSetStmt"], let name = setting.text("name") else { continue }
            settings[name] = setting.list("args").compactMap(\.constant)
        }
        return settings
    }
}

/// `ALTER FUNCTION`, `ALTER PROCEDURE`
package struct FunctionAlteration: Sendable, Hashable {
    package let name: SQLName
    /// `SECURITY DEFINER`
    package let becomesDefiner: Bool
    /// What it is to run with from now on; without values where that is taken back.
    package let settings: [String: [String]]
    /// `RESET ALL`
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

/// `GRANT`, `REVOKE`, `ALTER DEFAULT PRIVILEGES`, `ALTER … OWNER TO`: who may do what.
package struct Granting: Sendable, Hashable {
    package let kind: Kind
    /// Whether something is taken away, or no longer given from now on.
    package let isRevoking: Bool
    /// Whether one of those that are named is PUBLIC.
    package let isForEveryone: Bool

    /// What is given or taken away.
    package enum Kind: Sendable, Hashable {
        case privileges
        /// On what will be made.
        case defaults
        /// Of one role in another.
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
