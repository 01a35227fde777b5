internal import StrictJSON

/// The type of a column, a cast or a domain, in PostgreSQL's names: `int` is `int4`, `char(3)` is `bpchar`.
package struct SQLTypeName: Sendable, Hashable {
    package let name: SQLName
    /// True if the type has a length or a precision: `varchar(20)`.
    package let hasModifier: Bool
    package let isArray: Bool
    /// True for `SETOF`, in a function's result.
    package let isSet: Bool
}

extension SQLTypeName {
    init?(_ node: JSONNode?) {
        guard let node, let name = SQLName(parts: node.words("names")) else { return nil }
        // `int` and `pg_catalog.int4` are the same; the parser writes the schema only for its own keywords.
        self.init(
            name: name.schema == "pg_catalog" ? SQLName(schema: nil, name: name.name) : name,
            hasModifier: node.has("typmods"), isArray: node.has("arrayBounds"), isSet: node.flag("setof"))
    }

    /// True for `serial` and its variants: not types of their own, but an integer with a sequence.
    package var isSerial: Bool {
        ["serial", "bigserial", "smallserial", "serial2", "serial4", "serial8"].contains(name.name)
    }

    /// True for integer types of 32 bits or fewer.
    package var isSmallInteger: Bool {
        ["int4", "int2", "serial", "smallserial", "serial2", "serial4"].contains(name.name)
    }
}
