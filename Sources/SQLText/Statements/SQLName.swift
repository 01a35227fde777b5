internal import StrictJSON

/// The name of a table, an index, a function or a type, as a statement writes it.
package struct SQLName: Sendable, Hashable, CustomStringConvertible {
    /// The schema; `nil` if the statement leaves it to `search_path`.
    package let schema: String?
    package let name: String

    package init(schema: String?, name: String) {
        self.schema = schema
        self.name = name
    }

    /// The name in SQL notation, with quotes where PostgreSQL would otherwise read another name.
    package var sql: String { [schema, name].compactMap { $0.map(Self.identifier) }.joined(separator: ".") }

    private static func identifier(_ part: String) -> String {
        let source = SourceText(part)
        let tokens = try? PostgresParser.tokens(of: source)
        let isPlain =
            tokens?.count == 1 && tokens?.first?.kind == .name && tokens?.first?.isKeyword == false
            && tokens?.first?.bytes == source.bytes.indices && source.bytes.first != UInt8(ascii: "\"")
            && part == part.lowercased()
        return isPlain ? part : "\"\(part.replacing("\"", with: "\"\""))\""
    }

    package var description: String { schema.map { "\($0).\(name)" } ?? name }
}

extension SQLName {
    /// Creates a name from the last two parts of a dotted name; `nil` if there are no parts.
    init?(parts: [String]) {
        guard let name = parts.last else { return nil }
        self.init(schema: parts.dropLast().last, name: name)
    }

    /// Reads the name of an object that is not a relation and that a statement drops, renames or moves.
    init?(object: JSONNode) { self.init(parts: Self.parts(ofObject: object)) }

    static func parts(ofObject object: JSONNode) -> [String] {
        if let list = object["List"] { return list.words("items") }
        if let routine = object["ObjectWithArgs"] { return routine.words("objname") }
        if let type = object["TypeName"] { return type.words("names") }
        return object.word.map { [$0] } ?? []
    }

    /// Reads the name in a `RangeVar` node, which refers to a relation, or in a node that contains one.
    init?(relation: JSONNode?) {
        guard let relation else { return nil }
        let node = relation[Self.rangeVar] ?? relation
        guard let name = node.text(Self.relname) else { return nil }
        self.init(schema: node.text("schemaname"), name: name)
    }

    /// The keys of a table's name in the parse tree. They are stored, because every node of a statement is searched for
    /// them.
    private static let rangeVar: JSONKey = "RangeVar"
    private static let relname: JSONKey = "relname"

    /// Reads a name in a text constant, such as the argument of `to_regclass`. Unquoted parts are converted to lower
    /// case, as in a statement.
    package init(text: String) {
        var parts = [""]
        var isQuoted = false
        var last: Character?
        for character in text {
            switch character {
            case "\"":
                // Two quotes within quotes are one.
                if !isQuoted, last == "\"" { parts[parts.count - 1].append(character) }
                isQuoted.toggle()
            case "." where !isQuoted: parts.append("")
            default: parts[parts.count - 1] += isQuoted ? String(character) : character.lowercased()
            }
            last = character
        }
        self.init(schema: parts.dropLast().last, name: parts[parts.count - 1])
    }
}
