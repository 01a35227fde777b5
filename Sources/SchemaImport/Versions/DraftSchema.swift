import SourceFacts
import WireFormats

/// One version of an app's models, with everything that is known about it from the sources.
struct DraftSchema: Sendable {
    var version: Schema.Version
    /// The name of the version's type in the sources: `SchemaV3`; `nil` for models without versions.
    var typeName: String?
    /// The name of the version's type with its enclosing types: `Schemas.V1`.
    var path: String?
    /// True if the version comes from Swift sources. False if it comes from a Core Data model; the import has then made
    /// up the name of its type.
    var isDeclared = true
    var location: SourceLocation
    var entities: [DraftEntity]
    /// The open questions about the version. Each model that they name is one of `entities`.
    var questions: [Question]
    /// Notes for the user on everything that was left out or changed without a question.
    var notes: [String]
    /// The models whose class is also used by a newer version. The sources show only the properties that such a class
    /// has today.
    var live: [String] = []
    /// The classes to which relationships of the version's models lead although the version does not list them. The
    /// keys are the classes' indices in the source index (`SourceIndex`). The values are the path of the relationship,
    /// such as `Tag.note`, and its location.
    var reached: [Int: (path: String, location: SourceLocation)] = [:]
    /// The enumerations of this older version that are declared in no version, or only in a later one. The sources show
    /// their cases only as they are today, and this version may have had others.
    var openCases: Set<String> = []

    /// The version as a schema, without the parts that are undecided. Of two inverse relationships, only one states the
    /// other. If only one of the two is to-many, the to-many one states the other.
    var declared: Schema {
        Schema(version: version, entities: entities.map(\.value)).withInversesOnce
    }

    /// The version as a schema with the missing inverses added, as the check of a migration plan adds them.
    var completed: Schema { declared.pairingInverses().schema }
}

extension Schema {
    /// The schema in which only one of two inverse relationships states the other, as is usual in source code.
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
    /// Returns true if the versions have the same models, properties and questions. Order and original names do not
    /// matter.
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
