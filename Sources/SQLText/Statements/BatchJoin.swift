internal import StrictJSON

/// The conditions that restrict a statement to the rows of one batch. The key of each changed row must equal the key of
/// a row of `batch`, a relation that contains the rows of the batch.
struct BatchJoin {
    /// The columns of the table's key that the conditions equate with columns of `batch`.
    private(set) var columns: Set<String> = []

    private let target: [String]
    private let batch: String

    /// True if the conditions equate both columns of the table's key, `space_id` and `id`.
    var isWhole: Bool { columns == ["space_id", "id"] }

    /// Reads the conditions from the parse tree of an UPDATE or DELETE. Returns `nil` if the statement does not use the
    /// relation `batch`.
    init?(_ node: JSONNode, of table: SQLName) {
        let sources = (node.list("fromClause") + node.list("usingClause")).compactMap { $0["RangeVar"] }
        guard let source = sources.first(where: { SQLName(relation: $0) == SQLName(schema: nil, name: "batch") })
        else { return nil }
        batch = source["alias"]?.text("aliasname") ?? "batch"
        // A table with an alias can be referred to by the alias only.
        let alias = node["relation"]?["alias"]?.text("aliasname")
        target = alias.map { [$0] } ?? [table.schema, table.name].compactMap(\.self)
        for condition in node["whereClause"]?.conjuncts ?? [] { take(condition) }
    }

    /// Adds a condition's columns to `columns` if the condition joins the table to the batch. Only a plain equality of
    /// two columns, or of two rows of columns, does so.
    private mutating func take(_ condition: JSONNode) {
        guard let comparison = condition["A_Expr"], comparison.text("kind") == "AEXPR_OP",
            [["="], ["pg_catalog", "="]].contains(comparison.words("name")),
            let left = comparison["lexpr"], let right = comparison["rexpr"]
        else { return }
        let (lefts, rights) = (left["RowExpr"]?.list("args") ?? [left], right["RowExpr"]?.list("args") ?? [right])
        guard lefts.count == rights.count else { return }
        for (one, other) in zip(lefts, rights) {
            guard let one = column(one), let other = column(other), one.name == other.name,
                one.isOfBatch != other.isOfBatch
            else { continue }
            columns.insert(one.name)
        }
    }

    private func column(_ node: JSONNode) -> (name: String, isOfBatch: Bool)? {
        let parts = node["ColumnRef"]?.words("fields") ?? []
        guard parts.count > 1, let name = parts.last, name == "space_id" || name == "id" else { return nil }
        let owner = Array(parts.dropLast())
        if owner == [batch] { return (name, true) }
        return owner == target || owner == [target.last ?? ""] ? (name, false) : nil
    }
}

extension JSONNode {
    /// The operands of the condition's outermost `AND`. A condition without an `AND` is its own only operand.
    var conjuncts: [JSONNode] {
        guard let both = self["BoolExpr"], both.text("boolop") == "AND_EXPR" else { return [self] }
        return both.list("args").flatMap(\.conjuncts)
    }

    /// True for a condition that excludes no row, whatever its values: `true`, `1 = 1`, `a OR true`.
    var isAlwaysTrue: Bool {
        if let both = self["BoolExpr"] {
            let parts = both.list("args")
            switch both.text("boolop") {
            case "AND_EXPR": return parts.allSatisfy(\.isAlwaysTrue)
            case "OR_EXPR": return parts.contains(where: \.isAlwaysTrue)
            default: return false
            }
        }
        if let cast = self["TypeCast"] { return cast["arg"]?.isAlwaysTrue ?? false }
        if let constant = self["A_Const"] { return constant["boolval"]?.flag("boolval") ?? false }
        guard let comparison = self["A_Expr"], comparison.words("name") == ["="],
            let left = comparison["lexpr"]?["A_Const"], let right = comparison["rexpr"]?["A_Const"]
        else { return false }
        return left.plainConstant != nil && left.plainConstant == right.plainConstant
    }

    /// The text of a constant, such as `i5` for the number 5 or `sabc` for the string `abc`; `nil` if this is no
    /// constant.
    private var plainConstant: String? {
        if let number = self["ival"] { return "i\(number["ival"]?.int64 ?? 0)" }
        return self["sval"]?.text("sval").map { "s\($0)" }
    }
}
