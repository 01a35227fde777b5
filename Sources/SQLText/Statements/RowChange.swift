internal import StrictJSON

/// A statement that changes rows of one table.
package struct RowChange: Sendable, Hashable {
    /// The kind of change of rows.
    package enum Verb: String, Sendable, Hashable {
        case insert = "INSERT"
        case update = "UPDATE"
        case delete = "DELETE"
        case merge = "MERGE"
        case copy = "COPY"
        /// A `TRUNCATE` in the body of a function or a code block. As a statement of its own, it is
        /// `SQLAction.truncate`.
        case truncate = "TRUNCATE"
    }

    package let verb: Verb
    package let table: SQLName
    /// The table's alias, as in `AS item`.
    package let alias: String?
    /// True if the statement itself begins with a `WITH` clause.
    package let hasWith: Bool
    package let hasReturning: Bool
    /// True if the statement has a `WHERE` that excludes rows, as far as its text shows. A condition that is always
    /// true, such as `WHERE true`, does not count.
    package let hasWhere: Bool
    /// True for `ON CONFLICT …`.
    package let handlesConflict: Bool
    /// The tables named directly in the statement's `FROM` or `USING` clause. Tables in a subquery or a join are not
    /// included.
    package let sources: [SQLName]
    /// The columns that the statement sets.
    package let columns: [String]
    /// The columns that the statement sets in existing rows. Those that `ON CONFLICT DO UPDATE` or `MERGE` sets are
    /// included.
    package let updatedColumns: [String]
    /// True if the statement may delete rows. A `MERGE` can do that too.
    package let deletesRows: Bool
    /// True if the statement can change only rows of the current batch of a backfill. The statement must equate both
    /// columns of the table's key with those of the relation `batch`, which contains the rows of the batch. The
    /// conditions must be combined by `AND`.
    package let joinsBatch: Bool
}

extension RowChange {
    /// Converts this change, which is made through a view, into the change that it makes to the view's table.
    ///
    /// - Parameter name: converts a column's name in the view into the column's name in the table.
    package func through(to table: SQLName, named name: (String) -> String) -> RowChange {
        RowChange(
            verb: verb, table: table, alias: alias, hasWith: hasWith, hasReturning: hasReturning, hasWhere: hasWhere,
            handlesConflict: handlesConflict, sources: sources, columns: columns.map(name),
            updatedColumns: updatedColumns.map(name), deletesRows: deletesRows, joinsBatch: joinsBatch)
    }
}

extension RowChange {
    init?(_ verb: Verb, _ node: JSONNode) {
        guard let table = SQLName(relation: node["relation"]) else { return nil }
        self.verb = verb
        self.table = table
        alias = node["relation"]?["alias"]?.text("aliasname")
        hasWith = node.has("withClause")
        hasReturning = node.has("returningList")
        hasWhere = node["whereClause"].map { !$0.isAlwaysTrue } ?? false
        joinsBatch = BatchJoin(node, of: table)?.isWhole ?? false
        handlesConflict = node.has("onConflictClause")
        let sources = node.list("fromClause") + node.list("usingClause") + (node["sourceRelation"].map { [$0] } ?? [])
        self.sources = sources.compactMap { $0["RangeVar"].flatMap { SQLName(relation: $0) } }
        let columns = Self.targets(node.list("targetList") + node.list("cols"))
        self.columns = columns
        let clauses = node.list("mergeWhenClauses").compactMap { $0["MergeWhenClause"] }
        let merged = clauses.filter { $0.text("commandType") == "CMD_UPDATE" }.flatMap { $0.list("targetList") }
        updatedColumns =
            (verb == .update ? columns : [])
            + Self.targets((node["onConflictClause"]?.list("targetList") ?? []) + merged)
        deletesRows = verb == .delete || clauses.contains { $0.text("commandType") == "CMD_DELETE" }
    }

    private static func targets(_ nodes: [JSONNode]) -> [String] { nodes.compactMap { $0["ResTarget"]?.text("name") } }

    /// Creates a change that was found in a body, of which only words are known.
    ///
    /// - Parameter words: the words after the table's name, to the end of the statement.
    init(_ verb: Verb, of table: SQLName, before words: [String]) {
        let clauses = BodyClauses(words)
        self.init(
            verb: verb, table: table, alias: nil, hasWith: false, hasReturning: clauses.has("returning"),
            hasWhere: clauses.has("where"), handlesConflict: clauses.has("conflict"), sources: [],
            columns: verb == .update ? clauses.assigned : [], updatedColumns: clauses.assigned,
            deletesRows: verb == .delete || verb == .truncate || verb == .merge && clauses.has("delete"),
            joinsBatch: false)
    }

    /// Returns all changes that a statement makes when it runs, at whatever depth, outermost first. Changes that the
    /// statement contains but does not make are left out: those in a new function or rule, and those in an `EXPLAIN`
    /// without `ANALYZE`.
    static func all(in node: JSONNode) -> [RowChange] {
        var found: [RowChange] = []
        node.forEachNode { part in
            for (tag, verb) in verbs {
                guard let body = part[tag], body.members != nil, verb != .copy || body.flag("is_from") else { continue }
                if let change = RowChange(verb, body) { found.append(change) }
            }
        }
        return found
    }

    private static let verbs: [(JSONKey, Verb)] = [
        ("InsertStmt", .insert), ("UpdateStmt", .update), ("DeleteStmt", .delete), ("MergeStmt", .merge),
        ("CopyStmt", .copy),
    ]
}
