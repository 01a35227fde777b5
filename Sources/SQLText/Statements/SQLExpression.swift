internal import StrictJSON

/// The properties of an expression that can be determined before it runs. They are the functions that it calls, and the
/// columns that cannot be null if it is true.
package struct SQLExpression: Sendable, Hashable {
    /// The functions that the expression calls, in their order.
    package let functions: [SQLName]
    /// The columns that cannot be null if the expression is true. They are the columns of the `IS NOT NULL` tests that
    /// `AND` combines.
    package let provenNotNull: [String]

    /// True if the expression may have another value for each row: it calls a function that is not known to be stable.
    package var isVolatile: Bool {
        functions.contains { function in
            let isBuiltIn = function.schema == nil || function.schema == "pg_catalog"
            return !isBuiltIn || !Self.stableFunctions.contains(function.name)
        }
    }

    /// The functions of PostgreSQL that are common in default values and are not volatile (`pg_proc.provolatile`).
    private static let stableFunctions: Set<String> = [
        "now", "transaction_timestamp", "statement_timestamp", "timezone", "date_trunc", "to_timestamp",
        "make_interval",
        "make_date", "make_timestamptz", "current_setting", "current_database", "current_schema", "coalesce", "lower",
        "upper", "length", "concat", "concat_ws", "format", "replace", "array_fill", "jsonb_build_object",
        "json_build_object", "jsonb_build_array", "json_build_array", "to_json", "to_jsonb", "decode", "encode",
        "convert_to", "md5", "sha256", "floor", "ceil", "round", "abs", "power",
    ]
}

extension SQLExpression {
    init(_ node: JSONNode) {
        functions = node.all("FuncCall").compactMap { SQLName(parts: $0.words("funcname")) }
        provenNotNull = node.conjuncts.compactMap { conjunct in
            guard let test = conjunct["NullTest"], test.text("nulltesttype") == "IS_NOT_NULL" else { return nil }
            return test["arg"]?["ColumnRef"]?.words("fields").last
        }
    }
}
