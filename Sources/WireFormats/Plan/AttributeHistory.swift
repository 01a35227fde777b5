/// The life of one attribute through all versions of a plan, together with those that conversions link it with.
package struct AttributeHistory: Sendable {
    /// The columns that hold its forms; more than one where a conversion keeps both.
    package let columns: [HubEntity.Column]
    /// One for each shape that has the entity; the versions, and after them the historical variants.
    package let moments: [Moment]
    /// What happened to it at each stage that changed something.
    package let steps: [Step]

    /// What one shape has.
    package struct Moment: Sendable {
        package let shape: ShapeName
        /// Empty where it does not have the attribute.
        package let fields: [Field]
    }

    /// An attribute as one version has it.
    package struct Field: Hashable, Sendable {
        package let member: SchemaMember
        package let column: String
        /// Whether the column holds another form, from which the version's is computed.
        package let isComputed: Bool
    }

    /// What one stage does to it.
    package struct Step: Sendable {
        package let from: Schema.Version
        package let to: ShapeName
        package let operation: StageExplanation.Operation
    }

    /// - Parameters:
    ///   - entity: a place in `Hub.entities`.
    ///   - unit: a place in its `units`.
    init(_ plan: Plan, entity: Int, unit: Int) {
        let hub = plan.hub.entities[entity]
        columns = hub.units[unit].columns.map { hub.columns[$0] }
        moments = plan.shapes.indices.compactMap { version in
            plan.projections[version][entity].map { projection in
                let declared = plan.shapes[version].entity(projection.name)
                let fields = projection.fields.filter { $0.unit == unit }.map { field in
                    Field(
                        member: declared?.attribute(field.name).map { SchemaMember($0) } ?? SchemaMember(field),
                        column: hub.columns[field.column].name, isComputed: !field.isPlainCopy)
                }
                return Moment(shape: plan.name(of: version), fields: fields)
            }
        }
        steps = plan.stages.indices.flatMap { stage -> [Step] in
            let origin = plan.tree.origin(of: stage)
            guard let older = plan.projections[origin][entity], let newer = plan.projections[stage + 1][entity],
                let step = plan.stages[stage].entities.first(where: { $0.older == older.name && $0.newer == newer.name }
                )
            else { return [] }
            return step.operations.filter { operation in
                operation.changesSomething
                    && (operation.older.contains { older.unit(of: $0) == unit }
                        || operation.newer.contains { newer.unit(of: $0) == unit })
            }.map {
                Step(
                    from: plan.schemas[origin].version, to: plan.name(of: stage + 1),
                    operation: StageExplanation.Operation($0))
            }
        }
    }
}

extension Projection {
    fileprivate func unit(of name: String) -> Int? {
        field(named: name).map { fields[$0].unit }
    }
}
