/// Checks that each merge policy of a plan fits the attribute's forms in all versions. `SchemaCheck` checks the
/// policies of each version by itself.
struct MergeCheck {
    let problems: [PlanProblem]

    init(_ plan: Plan) {
        problems = plan.hub.entities.flatMap { entity in
            entity.units.indices.compactMap { MergeCheck.problem(plan, entity, unit: $0) }
        }
    }

    private static func problem(_ plan: Plan, _ entity: HubEntity, unit index: Int) -> PlanProblem? {
        let unit = entity.units[index]
        let views = plan.projections.compactMap { $0[entity.index] }
        func fields(_ view: Projection) -> [Projection.Field] { view.fields.filter { $0.unit == index } }
        func report(_ view: Projection?, _ message: String, _ remedy: String) -> PlanProblem? {
            guard let view, let field = fields(view).first else { return nil }
            return PlanProblem(
                code: .badMerge, subject: "\(view.name).\(field.name), \(plan.name(of: view.version))",
                message: message, remedy: remedy)
        }
        switch unit.rule {
        case .latest:
            return report(
                views.first { fields($0).contains { $0.merge == .counter } },
                "it is a counter here and none in a later version, and devices go on sending increments",
                "Leave it `merge: .counter`, or remove it and add an attribute of another name.")
        case .greatest, .least:
            return report(
                views.first { fields($0).count > 1 },
                "a stage links it with others, and a policy chooses between values of one attribute",
                "Leave the policy out, so that the later edit of all of them stands.")
        case .union:
            return report(
                unit.columns.count == 1 ? nil : views.first { !fields($0).isEmpty },
                "a conversion gives it another form, and a union is none of the values that were written",
                "Leave the policy out, or add a new attribute with it.")
        case .sum(let column):
            let isPlain =
                unit.columns.count == 1 && entity.columns[column].type == .bigint && !entity.columns[column].isNullable
                && views.allSatisfy { fields($0).allSatisfy(\.isPlainCopy) }
            let beginning = views.first { view in
                let row = try? view.create(
                    [], id: ID(high: 0, low: 0), createdAt: Timestamp(microseconds: 0))
                return row?[column] != .int(0)
            }
            if isPlain, beginning == nil { return nil }
            return PlanProblem(
                code: .badMerge, subject: "\(entity.identity).\(entity.columns[column].name)",
                message: "a counter is an .int that begins with 0 in every version, and this one is not",
                remedy: "Add a new attribute with `merge: .counter` and `default: 0`.")
        }
    }
}
