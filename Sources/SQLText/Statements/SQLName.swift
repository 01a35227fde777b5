internal import WireFormats

/// The name of a table, an index, a function or a type, as a statement writes it.
package struct SQLName: Sendable, Hashable, CustomStringConvertible {
    /// `nil` where the statement leaves it to `search_path`.
    package let schema: String?
    package let name: String

    package init(schema: String?, name: String) {
        self.schema = schema
        self.name = name
    }

    package var description: String { schema.map { "\($0).\(name)" } ?? name }
}

extension SQLName {
    /// Of the parts of a dotted name the last two; `nil` for none.
    init?(parts: [String]) {
        guard let name = parts.last else { return nil }
        self.init(schema: parts.dropLast().last, name: name)
    }

    /// A `RangeVar`, with or without its tag.
    init?(relation: JSONNode?) {
        guard let relation, let name = (relation["RangeVar"] ?? relation).text("relname") else { return nil }
        self.init(schema: (relation["RangeVar"] ?? relation).text("schemaname"), name: name)
    }

    /// A name in a text constant, such as the argument of `to_regclass`. Quoted names are not unquoted.
    package init(text: String) {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        self.init(schema: parts.count == 2 ? parts[0] : nil, name: parts.last ?? text)
    }
}
