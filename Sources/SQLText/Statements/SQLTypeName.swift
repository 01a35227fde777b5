internal import WireFormats

/// The type of a column, a cast or a domain, in PostgreSQL's names: `int` is `int4`, `char(3)` is `bpchar`.
package struct SQLTypeName: Sendable, Hashable {
    package let name: SQLName
    /// Whether it has a length or a precision: `varchar(20)`.
    package let hasModifier: Bool
    package let isArray: Bool
    /// `SETOF`, of a function's result.
    package let isSet: Bool
}

extension SQLTypeName {
    init?(_ node: JSONNode?) {
        guard let node, let name = SQLName(parts: node.words("names")) else { return nil }
        // `int` and `pg_catalog.int4` are one; the parser writes the schema for its own keywords only.
        self.init(
            name: name.schema == "pg_catalog" ? SQLName(schema: nil, name: name.name) : name,
            hasModifier: node.has("typmods"), isArray: node.has("arrayBounds"), isSet: node.flag("setof"))
    }

    /// `serial` and its kin: an integer with a sequence behind it, not types of their own.
    package var isSerial: Bool {
        ["serial", "bigserial", "smallserial", "serial2", "serial4", "serial8"].contains(name.name)
    }

    /// 32 bits or fewer.
    package var isSmallInteger: Bool {
        ["int4", "int2", "serial", "smallserial", "serial2", "serial4"].contains(name.name)
    }
}
