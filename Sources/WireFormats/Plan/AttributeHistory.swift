/// The history of one attribute through all versions of a plan. It includes the attributes that conversions link with
/// it.
package struct AttributeHistory: Sendable {
    /// The columns that store the attribute, and the attributes that conversions link with it. An attribute has several
    /// columns if a conversion keeps both an older and a newer form.
    package let columns: [HubEntity.Column]
    /// The attribute in every shape that has the entity: first the versions, then the historical variants. A historical
    /// variant is another shape that was shipped under a version's number.
    package let moments: [Moment]
    /// The changes that stages make to the attribute, or to an attribute that a conversion links with it, in the order
    /// of the stages.
    package let steps: [Step]

    /// The attribute as one shape (version or historical variant) has it.
    package struct Moment: Sendable {
        package let shape: ShapeName
        /// The attribute, and those that conversions link with it, as the shape declares them. Empty if the shape has
        /// none of them.
        package let fields: [Field]
    }

    /// An attribute as one version has it.
    package struct Field: Hashable, Sendable {
        package let member: SchemaMember
        package let column: String
        /// True if the column contains another form of the attribute, from which the version's value is computed.
        package let isComputed: Bool
    }

    /// A change that one stage makes to the attribute, or to an attribute that a conversion links with it.
    package struct Step: Sendable {
        package let from: Schema.Version
        package let to: ShapeName
        package let operation: StageExplanation.Operation
    }

    /// Collects the history of one merge unit, which is a set of columns that are merged as one: those of an attribute
    /// and of the attributes that are linked with it.
    ///
    /// - Parameters:
    ///   - entity: an index in `Hub.entities`.
    ///   - unit: an index in the entity's `units`.
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
