/// The SQL that changes the tables of one version into those that a later version needs, divided into phases and meant
/// for review. Everything that follows from the plan is written out. A conversion in Swift code must be written in SQL
/// by its author: the draft has a step without a statement for it, and every command refuses a file with such a step.
package struct MigrationDraft: Sendable {
    /// The name of the file without its number, in the form `verb-noun`; `nil` if the tables need no change.
    package let name: String?
    /// True if the migration changes values in existing records. The changed records are not sent to devices.
    package let fillsRecords: Bool
    /// True if the draft is complete SQL. False if the migration's author must still write an SQL function.
    package let isComplete: Bool
    /// The migration's SQL statements and comments, one in each element. The file's header is not among them.
    package let blocks: [String]

    /// The SQL literal for a value.
    package static func literal(_ value: Value) -> String { SQLText.literal(value) }

    /// Drafts the migration.
    ///
    /// - Parameters:
    ///   - from: an index in `Plan.schemas`; `nil` for a database that has no tables of the app yet.
    ///   - to: a later index in `Plan.schemas`.
    ///   - number: the number of the file among the app's migrations; `nil` if it is not known.
    package init(_ plan: Plan, from: Int?, to: Int, number: Int?) {
        let growth = plan.tree.growth
        let known = from.map { from in growth.prefix { plan.tree.age(of: $0) <= from }.count } ?? 0
        let grown = growth.prefix { plan.tree.age(of: $0) <= to }.count
        let before = known == 0 ? Hub(schema: plan.app, entities: []) : Self.hub(of: plan, shapes: known)
        let after = Self.hub(of: plan, shapes: grown)
        let created = after.entities.dropFirst(before.entities.count).map { NewTableDraft($0, schema: plan.app) }
        let altered = zip(before.entities, after.entities).map { older, newer in
            AlteredTableDraft(
                from: older, to: newer, schema: plan.app,
                added: Self.added(to: newer, since: older, plan, shapes: Array(growth[known..<grown])),
                converted: Self.converted(older, plan, shapes: Array(growth[known..<grown])),
                level: number.map(String.init) ?? "NNNN")
        }.filter { !$0.steps.isEmpty }
        let creation = (from == nil ? Self.schema(plan.app) : []) + created.flatMap(\.blocks)
        let steps = (creation.isEmpty ? [] : [DraftedStep(.expand, creation)]) + altered.flatMap(\.steps)
        name = from == nil ? "create-first-tables" : created.first?.name ?? altered.first?.name
        fillsRecords = altered.contains(where: \.fillsRecords)
        isComplete = altered.allSatisfy(\.isComplete)
        blocks = DraftedStep.Phase.allCases.flatMap { phase in
            steps.filter { $0.phase == phase }.flatMap(\.text)
        }
    }

    /// Returns the columns that `newer` has and `older` lacks. Each has the source of its values, and the position in
    /// `shapes` of the shape that added it.
    ///
    /// - Parameter shapes: the versions and historical variants that the migration adds, as indices in `Plan.shapes`.
    private static func added(
        to newer: HubEntity, since older: HubEntity, _ plan: Plan, shapes: [Int]
    ) -> [AddedColumn] {
        let origins = shapes.map { ColumnOrigins(plan, shape: $0, plan.projections[$0][newer.index]) }
        return newer.columns.indices.dropFirst(older.columns.count).map { column in
            let stage = origins.firstIndex { $0[column] != nil }
            return AddedColumn(
                column: newer.columns[column],
                origin: stage.flatMap { origins[$0][column] } ?? .computed(by: "the plan", from: []), stage: stage ?? 0)
        }
    }

    /// For each existing column whose values are converted to a newer form: descriptions of the conversions, the
    /// earliest first.
    ///
    /// - Parameter shapes: the versions and historical variants that the migration adds, as indices in `Plan.shapes`.
    private static func converted(_ entity: HubEntity, _ plan: Plan, shapes: [Int]) -> [Int: [String]] {
        var summaries: [Int: [String]] = [:]
        for shape in shapes where shape > 0 {
            guard let projection = plan.projections[shape][entity.index] else { continue }
            let step = plan.stages[shape - 1].entities.first { $0.newer == projection.name }
            for case let carried as CarryAttribute in step?.operations ?? [] {
                guard case .converted(let view)? = carried.olderSteps.first,
                    let field = projection.fields.first(where: { $0.name == carried.to.name }),
                    field.column < entity.columns.count
                else { continue }
                summaries[field.column, default: []].append(
                    "\(carried.from.name) → \(carried.to.name) by \(view.mapping.name)")
            }
        }
        return summaries
    }

    private static func schema(_ app: String) -> [String] {
        [
            "CREATE SCHEMA \(SQLText.identifier(app));",
            "GRANT USAGE ON SCHEMA \(SQLText.identifier(app)) TO syncserver_serving;",
        ]
    }

    private static func hub(of plan: Plan, shapes count: Int) -> Hub {
        HubCompiler(app: plan.app, tree: plan.tree.grown(count)).compile().0
    }
}
