internal import WireFormats

/// A statement that changes rows of one table.
package struct RowChange: Sendable, Hashable {
    /// How it changes them.
    package enum Verb: String, Sendable, Hashable {
        case insert = "INSERT"
        case update = "UPDATE"
        case delete = "DELETE"
        case merge = "MERGE"
        case copy = "COPY"
    }

    package let verb: Verb
    package let table: SQLName
    /// `AS item`
    package let alias: String?
    /// Whether it has a `WITH` of its own.
    package let hasWith: Bool
    package let hasReturning: Bool
    package let hasWhere: Bool
    /// `ON CONFLICT …`
    package let handlesConflict: Bool
    /// The tables that stand in its `FROM` or `USING` themselves, not below a query or a join.
    package let sources: [SQLName]
    /// The columns that it sets.
    package let columns: [String]

    /// Whether it joins what the runner of backfills calls `batch`.
    package var joinsBatch: Bool { sources.contains(SQLName(schema: nil, name: "batch")) }
}

extension RowChange {
    init?(_ verb: Verb, _ node: JSONNode) {
        guard let table = SQLName(relation: node["relation"]) else { return nil }
        self.verb = verb
        self.table = table
        alias = node["relation"]?["alias"]?.text("aliasname")
        hasWith = node.has("withClause")
        hasReturning = node.has("returningList")
        hasWhere = node.has("whereClause")
        handlesConflict = node.has("onConflictClause")
        let sources = node.list("fromClause") + node.list("usingClause") + (node["sourceRelation"].map { [$0] } ?? [])
        self.sources = sources.compactMap { $0["RangeVar"].flatMap { SQLName(relation: $0) } }
        columns = (node.list("targetList") + node.list("cols")).compactMap { $0["ResTarget"]?.text("name") }
    }
}
