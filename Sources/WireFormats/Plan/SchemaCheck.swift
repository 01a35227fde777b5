/// The rules that every version must follow by itself, whatever the other versions are.
struct SchemaCheck {
    let problems: [PlanProblem]

    init(_ schema: Schema) {
        let twice =
            SchemaCheck.repeated(schema.entities.map(\.name))
            + SchemaCheck.repeated(schema.entities.compactMap(\.originalName))
        problems =
            twice.map { .duplicate("entity \($0)", version: schema.version) }
            + schema.entities.flatMap { entity in
                SchemaCheck.names(entity, in: schema) + SchemaCheck.defaults(entity, in: schema)
                    + SchemaCheck.uniqueness(entity, in: schema) + SchemaCheck.merging(entity, in: schema)
                    + SchemaCheck.relationships(entity, in: schema)
            }
    }

    private static func names(_ entity: Schema.Entity, in schema: Schema) -> [PlanProblem] {
        let originalNames =
            entity.attributes.compactMap(\.originalName) + entity.relationships.compactMap(\.originalName)
        let names =
            entity.attributes.map(\.name) + entity.relationships.map(\.name) + [entity.identity].compactMap { $0 }
        return (repeated(names) + repeated(originalNames)).map {
            .duplicate("\(entity.name).\($0)", version: schema.version)
        }
    }

    private static func repeated(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { !seen.insert($0).inserted }
    }

    private static func defaults(_ entity: Schema.Entity, in schema: Schema) -> [PlanProblem] {
        entity.attributes.compactMap { attribute in
            guard let standard = attribute.default, !standard.fits(attribute.type.kind) else { return nil }
            return PlanProblem(
                code: .badDefault, subject: "\(entity.name).\(attribute.name), \(schema.version)",
                message: "the default \(standard) is not a \(attribute.type)",
                remedy: "Give a default of the attribute's type.")
        }
    }

    /// Checks unique attributes. A default other than `.newID` is refused, because many records would have the same
    /// value. Arrays, codable structs and doubles are refused, because such values cannot be looked up reliably.
    private static func uniqueness(_ entity: Schema.Entity, in schema: Schema) -> [PlanProblem] {
        entity.attributes.filter(\.isUnique).compactMap { attribute in
            let remedy: String
            switch (attribute.type.kind, attribute.default) {
            case (.array, _), (.codable, _), (.double, _):
                remedy = "Use a type whose values are equal or not, such as .string."
            case (_, nil), (_, .newID): return nil
            case (_, .some): remedy = "Make it optional without a default."
            }
            return PlanProblem(
                code: .badUnique, subject: "\(entity.name).\(attribute.name), \(schema.version)",
                message: "it cannot be unique as \(attribute.type)"
                    + (attribute.default == nil ? "" : " with a default that many records would have"),
                remedy: remedy)
        }
    }

    /// Checks merge policies. A policy must be defined for every value of the attribute, and its result must not depend
    /// on the order in which edits arrive.
    private static func merging(_ entity: Schema.Entity, in schema: Schema) -> [PlanProblem] {
        entity.attributes.filter { $0.merge != .latest }.compactMap { attribute in
            guard let (message, remedy) = fault(inMergingOf: attribute, of: entity) else { return nil }
            return PlanProblem(
                code: .badMerge, subject: "\(entity.name).\(attribute.name), \(schema.version)", message: message,
                remedy: remedy)
        }
    }

    private static func fault(
        inMergingOf attribute: Schema.Attribute, of entity: Schema.Entity
    ) -> (message: String, remedy: String)? {
        let (merge, word) = (attribute.merge, "`merge: .\(attribute.merge.rawValue)`")
        if attribute.scope == .local || entity.scope == .local {
            return ("it stays on the device, so that nothing of it is merged", "Leave \(word) out.")
        }
        if attribute.isUnique {
            return ("what is unique is held as it was written, or not at all", "Leave \(word) or `.unique` out.")
        }
        guard merge.fits(attribute.type.kind), merge != .counter || !attribute.type.isOptional else {
            return ("a \(attribute.type) has no \(word)", "Declare it as \(merge.types); or leave \(word) out.")
        }
        let standard = attribute.default?.constant(for: attribute.type.kind)
        if merge == .counter, let standard, standard != .int(0) {
            return (
                "a counter that nobody has counted is 0, in every version",
                "Write `default: 0`, and give another beginning in the `create`."
            )
        }
        if case .array(let element) = attribute.type.kind, let standard, !standard.isNull, merge == .union,
            let joined = UnionOfElements(of: element)?.joined(.null, standard), joined != standard
        {
            return ("its default is not as a union has it: \(joined)", "Write each element once, in that order.")
        }
        return nil
    }

    private static func relationships(_ entity: Schema.Entity, in schema: Schema) -> [PlanProblem] {
        entity.relationships.compactMap { relationship in
            let subject = "\(entity.name).\(relationship.name), \(schema.version)"
            guard let target = schema.entity(relationship.target) else {
                return PlanProblem(
                    code: .unknownTarget, subject: subject,
                    message: "its target ‘\(relationship.target)’ is not a model of this version",
                    remedy: "Declare the model, or name one of \(schema.entities.map(\.name).joined(separator: ", ")).")
            }
            if target.scope != entity.scope {
                return PlanProblem(
                    code: .unknownTarget, subject: subject,
                    message: "it leads from what is \(entity.scope.rawValue) to what is \(target.scope.rawValue)",
                    remedy: "Relate entities of the same scope; hold the id in a `.uuid` attribute otherwise.")
            }
            let inverse = target.relationships.first { $0.name == relationship.inverse }
            if relationship.cardinality == .toMany, inverse?.cardinality != .toOne {
                return PlanProblem(
                    code: .unknownInverse, subject: subject,
                    message: "a to-many relationship travels as its inverse, and this one has no to-one inverse",
                    remedy: "Declare `Relationship(…, toOne: \"\(entity.name)\")` in \(target.name) and name it here.")
            }
            return nil
        }
    }
}

extension Schema {
    /// The problems that a plan's check would find in this version alone: mistakes in its members, and inverses that
    /// cannot be found.
    package var problems: [PlanProblem] {
        pairingInverses().problems + SchemaCheck(self).problems
    }

    /// Returns the problems that a plan's check would find in a lightweight stage from this version to `newer`. Empty
    /// if every change in the stage follows from the two schemas.
    ///
    /// - Parameter variant: the name of `newer` if it is a historical variant of this version; otherwise `nil`.
    package func problems(inStageTo newer: Schema, variant: String? = nil) -> [PlanProblem] {
        var compiler = StageCompiler(older: self, newer: newer, kind: .lightweight, variant: variant)
        _ = compiler.compile()
        return compiler.problems
    }
}
