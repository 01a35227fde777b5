/// The SQL that brings the tables of one version to what a later one needs, for review: what follows from the plan is
/// written out, and what only the author of a conversion knows is marked and refuses to run over records.
package struct MigrationDraft: Sendable {
    /// A name for the file, `verb-noun`, without its number; `nil` where the tables need nothing.
    package let name: String?
    /// Whether records that are there already get something new. Devices learn nothing by that.
    package let fillsRecords: Bool
    /// A statement or comment each, without a header.
    package let blocks: [String]

    /// - Parameters:
    ///   - from: a place in `Plan.schemas`; `nil` for a database that has nothing of the app yet.
    ///   - to: a later place.
    package init(_ plan: Plan, from: Int?, to: Int) {
        let growth = plan.tree.growth
        let ages = growth.map(plan.tree.age)
        let stages = growth.indices.filter { ages[$0] > from ?? -1 && ages[$0] <= to }.map {
            StageDraft(plan, shape: growth[$0], after: $0)
        }
        let telling = stages.filter { !$0.isEmpty }
        name = from == nil ? "create-first-tables" : telling.first?.name
        fillsRecords = telling.contains(where: \.fillsRecords)
        var blocks = from == nil ? Self.schema(plan.app) : []
        for stage in telling {
            // A heading, where the reader could not tell which version a statement is for.
            if telling.count > 1 { blocks.append("-- Version \(stage.version).") }
            blocks += stage.blocks
        }
        self.blocks = blocks
    }

    private static func schema(_ app: String) -> [String] {
        [
            "CREATE SCHEMA \(SQLText.identifier(app));",
            "GRANT USAGE ON SCHEMA \(SQLText.identifier(app)) TO syncserver_serving;",
        ]
    }
}

/// The statements for one shape, in the order in which the hand-written files have them: new tables, new columns,
/// values for the records that are there, and then what these values make possible.
private struct StageDraft {
    let version: ShapeName
    let name: String
    let fillsRecords: Bool
    let blocks: [String]

    var isEmpty: Bool { blocks.isEmpty }

    /// - Parameters:
    ///   - shape: a place in `Plan.shapes`.
    ///   - older: how many shapes came before it.
    init(_ plan: Plan, shape: Int, after older: Int) {
        let before = older == 0 ? Hub(schema: plan.app, entities: []) : Self.hub(of: plan, shapes: older)
        let after = Self.hub(of: plan, shapes: older + 1)
        let created = after.entities.dropFirst(before.entities.count).map { NewTableDraft($0, schema: plan.app) }
        let altered = zip(before.entities, after.entities).map { before, after in
            AlteredTableDraft(
                from: before, to: after, schema: plan.app,
                origins: ColumnOrigins(plan, shape: shape, plan.projections[shape][after.index]))
        }.filter { !$0.isEmpty }
        let filled = altered.filter { !$0.backfills.isEmpty }
        version = plan.name(of: shape)
        name = created.first?.name ?? altered.first?.name ?? ""
        fillsRecords = altered.contains(where: \.fillsRecords)
        let remark = altered.contains(where: \.convertsDoubles) ? [Self.remarkOnDoubles] : []
        var blocks = created.flatMap(\.blocks) + remark + altered.flatMap(\.alterations)
        if !filled.isEmpty {
            blocks.append(
                "-- Row-level security is forced on tables' owners too; for what follows, of all spaces, it is not.\n"
                    + filled.map { "ALTER TABLE \($0.place) NO FORCE ROW LEVEL SECURITY;" }.joined(separator: "\n"))
            blocks += filled.flatMap(\.backfills)
            blocks.append(
                filled.map { "ALTER TABLE \($0.place) FORCE ROW LEVEL SECURITY;" }.joined(separator: "\n"))
        }
        self.blocks = blocks + altered.flatMap(\.restrictions)
    }

    private static func hub(of plan: Plan, shapes count: Int) -> Hub {
        HubCompiler(app: plan.app, tree: plan.tree.grown(count)).compile().0
    }

    /// PostgreSQL's cast keeps 15 digits of a Double; its text has all that tell it from its neighbours.
    private static let remarkOnDoubles = """
        -- Through text: a plain cast to numeric keeps 15 digits, which changes most Doubles. From 2^54 on
        -- Swift's shortest text may be shorter than PostgreSQL's. Where such numbers occur, take the
        -- function in Migrations/allesteurer/0002-make-numbers-exact.sql. Rewrites tables under a lock.
        SET LOCAL extra_float_digits = 1;
        """
}
