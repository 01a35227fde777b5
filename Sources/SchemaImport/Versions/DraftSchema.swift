import SourceFacts
import WireFormats

/// One version of an app's models as far as it is known from the sources.
struct DraftSchema: Sendable {
    var version: Schema.Version
    /// The version's type in the sources: `SchemaV3`; `nil` for models without versions.
    var typeName: String?
    /// The type with its enclosing types: `Schemas.V1`.
    var path: String?
    /// True if the sources have a type of that name; false if the version was made by the import.
    var isDeclared = true
    var location: SourceLocation
    var entities: [DraftEntity]
    /// Questions about the version; those about a model concern one of its entities.
    var questions: [Question]
    /// Notes on everything that was left out or changed without a question.
    var notes: [String]
    /// Models whose class a newer version shares. Their shape may have been different when this version was the newest.
    var live: [String] = []
    /// Classes that the version does not list but that a relationship of its models leads to, such as `Tag.note`; by
    /// the class's index in the source index.
    var reached: [Int: (path: String, location: SourceLocation)] = [:]
    /// Enumerations that an older version uses but that are declared in no version, or only in a later one. Their cases
    /// are today's, not those of the older version.
    var openCases: Set<String> = []

    /// The schema without undecided parts. Each inverse is stated on one side only: on the to-many side if there is
    /// one.
    var declared: Schema {
        Schema(version: version, entities: entities.map(\.value)).withInversesOnce
    }

    /// The schema as the plan's check completes it.
    var completed: Schema { declared.pairingInverses().schema }
}

extension Schema {
    /// Returns the schema without the second of two mutual inverses, as people write it.
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
    /// True if both have the same shape, regardless of order.
    func isSameShape(as other: DraftSchema) -> Bool {
        let mine = Schema(version: version, entities: completed.entities.sortedForComparison)
        let others = Schema(version: version, entities: other.completed.entities.sortedForComparison)
        return mine.fingerprint == others.fingerprint && Set(questions.map(\.key)) == Set(other.questions.map(\.key))
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
