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

extension Dropping {
    init(_ node: JSONNode) {
        let kind = ObjectKind(node.text("removeType"))
        self.kind = kind
        names = node.list("objects").compactMap { object in
            let parts: [String]
            if let list = object["List"] {
                parts = list.words("items")
            } else if let routine = object["ObjectWithArgs"] {
                parts = routine.words("objname")
            } else if let type = object["TypeName"] {
                parts = type.words("names")
            } else {
                parts = object.word.map { [$0] } ?? []
            }
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
    /// The column's or constraint's old name.
    package let part: String?
    package let newName: String
    package let ifExists: Bool
}

extension Renaming {
    init(_ node: JSONNode) {
        self.init(
            kind: ObjectKind(node.text("renameType") ?? node.text("objectType")),
            relation: SQLName(relation: node["relation"]), part: node.text("subname"),
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
}

/// `CREATE FUNCTION`, `CREATE PROCEDURE`
package struct FunctionDefinition: Sendable, Hashable {
    package let name: SQLName
    package let isReplacing: Bool
    package let isSecurityDefiner: Bool
    package let language: String?
    /// The settings that it runs with, by name: `search_path`.
    package let settings: Set<String>
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
        settings = Set(
            options.filter { $0.text("defname") == "set" }.compactMap { $0["arg"]?["VariableSetStmt"]?.text("name") })
        source = option("as")?["List"]?.words("items").last
    }
}
