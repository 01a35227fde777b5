import SourceFacts
import WireFormats

/// One version of an app's models as far as its sources tell it.
struct DraftSchema: Sendable {
    var version: Schema.Version
    /// What the sources call it: `SchemaV3`; `nil` for models without versions.
    var typeName: String?
    /// The same with the types around it: `Schemas.V1`.
    var path: String?
    /// Whether the sources have a type of that name, and not only a version that it is made for.
    var isDeclared = true
    var location: SourceLocation
    var entities: [DraftEntity]
    /// What cannot be known of it; those of a model among its attributes.
    var decisions: [Decision]
    /// What was left out or changed without a question.
    var notes: [String]
    /// The models whose class is also a newer version's, and may have been another one when this was the newest.
    var live: [String] = []
    /// The enumerations of an older version that stand in none: their cases are those of today.
    var openCases: Set<String> = []

    /// The schema without what is undecided, every inverse on one side: that of the many where there is one.
    var declared: Schema {
        Schema(version: version, entities: entities.map(\.value)).withInversesOnce
    }

    /// The schema as the plan's check completes it.
    var completed: Schema { declared.pairingInverses().schema }
}

extension Schema {
    /// Without the second of two mutual inverses, as people write them.
    var withInversesOnce: Schema {
        var stated: Set<[String]> = []
        func isFirst(_ entity: Schema.Entity, _ relationship: Schema.Relationship) -> Bool {
            guard let inverse = relationship.inverse,
                let other = self.entity(relationship.target)?.relationships.first(where: { $0.name == inverse }),
                other.inverse == relationship.name
            else { return true }
            if other.cardinality != relationship.cardinality { return relationship.cardinality == .toMany }
            if stated.contains([relationship.target, inverse]) { return false }
            stated.insert([entity.name, relationship.name])
            return true
        }
        return Schema(
            version: version,
            entities: entities.map { entity in
                entity.with(
                    relationships: entity.relationships.map {
                        isFirst(entity, $0) ? $0 : $0.with(inverse: .some(nil))
                    })
            })
    }
}

extension Schema.Entity {
    func with(
        originalName: String?? = nil, attributes: [Schema.Attribute]? = nil,
        relationships: [Schema.Relationship]? = nil
    ) -> Schema.Entity {
        Schema.Entity(
            name: name, originalName: originalName ?? self.originalName, scope: scope, multiplicity: multiplicity,
            identity: identity, identityType: identityType, attributes: attributes ?? self.attributes,
            relationships: relationships ?? self.relationships)
    }
}

extension Schema.Relationship {
    func with(
        originalName: String?? = nil, target: String? = nil, inverse: String?? = nil
    ) -> Schema.Relationship {
        Schema.Relationship(
            name: name, originalName: originalName ?? self.originalName, target: target ?? self.target,
            cardinality: cardinality,
            deleteRule: deleteRule, inverse: inverse ?? self.inverse)
    }
}

extension DraftSchema {
    /// True where both say the same, whatever the order.
    func isSameShape(as other: DraftSchema) -> Bool {
        let mine = Schema(version: version, entities: completed.entities.sortedForComparison)
        let others = Schema(version: version, entities: other.completed.entities.sortedForComparison)
        return mine.fingerprint == others.fingerprint && Set(decisions.map(\.key)) == Set(other.decisions.map(\.key))
    }
}

extension [Schema.Entity] {
    fileprivate var sortedForComparison: [Schema.Entity] {
        map { entity in
            entity.with(
                originalName: .some(nil),
                attributes: entity.attributes.map { $0.with(originalName: .some(nil)) }.sorted { $0.name < $1.name },
                relationships: entity.relationships.sorted { $0.name < $1.name })
        }.sorted { $0.name < $1.name }
    }
}
