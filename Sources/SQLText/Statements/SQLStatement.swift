internal import StrictJSON

/// One statement: its position, its action and the names in it.
package struct SQLStatement: Sendable, Hashable {
    /// The text from the first word to the last, without the semicolon.
    package let text: String
    /// The range of the statement's text in the script's UTF-8.
    package let bytes: Range<Int>
    /// The line on which the statement's first word is, from 1.
    package let line: Int
    package let action: SQLAction
    /// The parser's name for the statement, such as `ExplainStmt`.
    package let kind: String
    /// All row changes that the statement makes when it runs, outermost first. Changes in a `WITH` clause, in an
    /// `EXPLAIN ANALYZE` and in a prepared statement are included. So are those in a code block, as far as its words
    /// show. `TRUNCATE` is an action, not a row change.
    package let changes: [RowChange]
    /// The visible effects of the code that the statement contains: a `DO` block, a function's body, or a rule's
    /// actions.
    package let body: SQLBody?
    /// True if the statement makes an unlogged table or sequence.
    package let makesUnlogged: Bool
    /// The tables, views and indexes that the statement names, in order and without duplicates. The queries of the
    /// statement's own `WITH` clause are not included.
    package let relations: [SQLName]
    /// The functions that the statement calls, each with those of its arguments that are text constants.
    package let calls: [Call]

    /// A function call, such as `sync.enroll('fitiq.sd_meal')`.
    package struct Call: Sendable, Hashable {
        package let function: SQLName
        package let constants: [String]
    }
}

extension SQLStatement {
    init(_ node: JSONNode, _ source: SourceText, _ range: Range<Int>) {
        text = source.text(range)
        bytes = range
        line = source.line(of: range.lowerBound)
        let action = SQLAction(node)
        self.action = action
        kind = node.tag
        let body = SQLBody(of: node)
        self.body = body
        changes = Self.changes(node, body)
        let persistence: JSONKey = "relpersistence"
        makesUnlogged = node.contains { $0.text(persistence) == "u" }
        relations = Self.relations(node, action)
        let called = node.all("FuncCall") + (node["CallStmt"]?["funccall"].map { [$0] } ?? [])
        calls = called.compactMap { call in
            SQLName(parts: call.words("funcname")).map {
                Call(function: $0, constants: call.list("args").compactMap(\.constant))
            }
        }
    }

    private static func changes(_ node: JSONNode, _ body: SQLBody?) -> [RowChange] {
        switch node.tag {
        case "CreateFunctionStmt", "RuleStmt": []
        case "ExplainStmt" where !isOn(options(node.body.list("options"))["analyze"]): []
        case "DoStmt": body?.changes ?? []
        default: RowChange.all(in: node)
        }
    }

    private static func isOn(_ option: String?) -> Bool { option.map { !["false", "off", "0"].contains($0) } ?? false }

    private static func relations(_ node: JSONNode, _ action: SQLAction) -> [SQLName] {
        let queries = Set(node.all("CommonTableExpr").compactMap { $0.text("ctename") })
        var mentions: [(name: SQLName, offset: Int64)] = []
        node.forEachNode { part in
            guard let name = SQLName(relation: part), !(name.schema == nil && queries.contains(name.name)) else {
                return
            }
            mentions.append((name, (part["RangeVar"] ?? part)["location"]?.int64 ?? 0))
        }
        var names: [SQLName] = []
        for mention in mentions.sorted(by: { $0.offset < $1.offset }) where !names.contains(mention.name) {
            names.append(mention.name)
        }
        if case .drop(let dropping) = action, dropping.kind.isRelation || dropping.kind.isOfTable {
            names += dropping.names.filter { !names.contains($0) }
        }
        return names
    }

    /// Reads options, `WITH (name = value, …)`; an option without a value is `true`.
    static func options(_ nodes: [JSONNode]) -> [String: String] {
        let pairs = nodes.compactMap { $0["DefElem"] }.compactMap { option in
            option.text("defname").map { name in
                let value = option["arg"]
                let flag = value?["Boolean"].map { $0.flag("boolval") ? "true" : "false" }
                return (name, value?.word?.lowercased() ?? flag ?? "true")
            }
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }
}
