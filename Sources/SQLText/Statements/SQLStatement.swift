internal import WireFormats

/// One statement: where it stands, what it does and what it names.
package struct SQLStatement: Sendable, Hashable {
    /// From its first word to its last, without the semicolon.
    package let text: String
    /// Where that is, in the script's UTF-8.
    package let bytes: Range<Int>
    /// The line of its first word, from 1.
    package let line: Int
    package let action: SQLAction
    /// Every table, view and index that it names, each once, in their order; not its own `WITH` queries.
    package let relations: [SQLName]
    /// The functions that it calls, each with the text constants that it is given.
    package let calls: [Call]

    /// A function call: `sync.enroll('fitiq.sd_meal')`.
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
        relations = Self.relations(node, action)
        calls = node.all("FuncCall").compactMap { call in
            SQLName(parts: call.words("funcname")).map {
                Call(function: $0, constants: call.list("args").compactMap(\.constant))
            }
        }
    }

    private static func relations(_ node: JSONNode, _ action: SQLAction) -> [SQLName] {
        let queries = Set(node.all("CommonTableExpr").compactMap { $0.text("ctename") })
        var places: [(name: SQLName, offset: Int64)] = []
        node.walk { part in
            guard let name = SQLName(relation: part), !(name.schema == nil && queries.contains(name.name)) else {
                return
            }
            places.append((name, (part["RangeVar"] ?? part)["location"]?.int64 ?? 0))
        }
        var names: [SQLName] = []
        for place in places.sorted(by: { $0.offset < $1.offset }) where !names.contains(place.name) {
            names.append(place.name)
        }
        if case .drop(let dropping) = action, dropping.kind.isRelation || dropping.kind.isOfTable {
            names += dropping.names.filter { !names.contains($0) }
        }
        return names
    }

    /// `WITH (name = value, …)`; an option without a value is `true`.
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
