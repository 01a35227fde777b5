import SourceFacts
import WireFormats

/// One version of an app's models, with everything that is known about it from the sources.
struct DraftSchema: Sendable {
    var version: Schema.Version
    /// The name of the version's type in the sources: `SchemaV3`; `nil` for models without versions.
    var typeName: String?
    /// The name of the version's type with its enclosing types: `Schemas.V1`.
    var path: String?
    /// True if the version comes from Swift sources; false if it comes from a Core Data model, so that the import
    /// invented the name of its type.
    var isDeclared = true
    var location: SourceLocation
    var entities: [DraftEntity]
    /// The open questions about the version. If a question concerns a model, it is one in `entities`.
    var questions: [Question]
    /// Notes on everything that was left out or changed and needs no question.
    var notes: [String]
    /// The models whose class is also used by a newer version. They may have had other properties when this version was
    /// the newest.
    var live: [String] = []
    /// The classes that the version does not list, but to which a relationship of its models leads, such as `Tag.note`.
    /// They are stored by the class's index in the source index (`SourceIndex`), each with that relationship.
    var reached: [Int: (path: String, location: SourceLocation)] = [:]
    /// The enumerations that this older version uses, but that are declared in no version, or only in a later one. The
    /// cases that are read are therefore today's, and may not be those of this version.
    var openCases: Set<String> = []

    /// The schema without the parts that are undecided. Of two inverse relationships only one states its inverse: the
    /// to-many one if the other is to-one.
    var declared: Schema {
        Schema(version: version, entities: entities.map(\.value)).withInversesOnce
    }

    /// The schema with the missing inverses added, as the plan's check completes it.
    var completed: Schema { declared.pairingInverses().schema }
}

extension Schema {
    /// Returns the schema in which, of two relationships that are each other's inverse, only one states it, as people
    /// write it.
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
    /// Returns true if both versions have the same models, properties and questions, in whatever order and whatever
    /// their original names.
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
