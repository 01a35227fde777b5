extension Schema {
    /// The schema that `declaration` declares, including what it inherits. If only one side of a relationship declares
    /// the inverse, it is added on the other side. Problems are not reported here but by the plan's check.
    package static func declared(_ declaration: any VersionedSchema.Type) -> Schema {
        resolved(declaration).pairingInverses().schema
    }

    /// Returns the schema with every inverse declared on both sides, as SwiftData has it. An inverse that only one side
    /// declares is added on the other. Also returns a problem for each relationship whose inverse cannot be found.
    package func pairingInverses() -> (schema: Schema, problems: [PlanProblem]) {
        var problems: [PlanProblem] = []
        var stated: [String: [String: String]] = [:]
        for entity in entities {
            for relationship in entity.relationships {
                guard let target = self.entity(relationship.target) else { continue }
                let candidates = target.relationships.filter {
                    $0.target == entity.name && $0.inverse == relationship.name
                }
                if let inverse = relationship.inverse {
                    guard let other = target.relationships.first(where: { $0.name == inverse }),
                        other.target == entity.name, other.inverse == nil || other.inverse == relationship.name
                    else {
                        problems.append(unresolved(inverse, of: relationship, in: entity, target: target))
                        continue
                    }
                    stated[entity.name, default: [:]][relationship.name] = inverse
                    stated[target.name, default: [:]][inverse] = relationship.name
                } else if candidates.count > 1 {
                    problems.append(unresolved("?", of: relationship, in: entity, target: target))
                }
            }
        }
        let paired = entities.map { entity in
            Schema.Entity(
                name: entity.name, originalName: entity.originalName, scope: entity.scope,
                multiplicity: entity.multiplicity, identity: entity.identity,
                identityType: entity.identityType, attributes: entity.attributes,
                relationships: entity.relationships.map {
                    Schema.Relationship(
                        name: $0.name, originalName: $0.originalName, target: $0.target, cardinality: $0.cardinality,
                        deleteRule: $0.deleteRule, inverse: stated[entity.name]?[$0.name])
                })
        }
        return (Schema(version: version, entities: paired), problems)
    }

    private func unresolved(
        _ inverse: String, of relationship: Schema.Relationship, in entity: Schema.Entity, target: Schema.Entity
    ) -> PlanProblem {
        let candidates = target.relationships.filter { $0.target == entity.name }.map { "\(target.name).\($0.name)" }
        return PlanProblem(
            code: .unknownInverse, subject: "\(entity.name).\(relationship.name), \(version)",
            message: "its inverse ‘\(target.name).\(inverse)’ does not point back at it",
            remedy: candidates.isEmpty
                ? "Declare a relationship of \(target.name) to \(entity.name) and name it as the inverse."
                : "Name one of \(candidates.joined(separator: ", ")) as the inverse, on one side or mutually.")
    }
}
