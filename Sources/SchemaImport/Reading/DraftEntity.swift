import SourceFacts
import WireFormats

/// A model of one version, with everything that is known about it from the sources.
struct DraftEntity: Sendable {
    /// A property of the model that becomes an attribute, with its place in the sources.
    struct Attribute: Sendable {
        var value: Schema.Attribute
        var location: SourceLocation
    }

    /// A property that refers to records of a model, with its place in the sources.
    struct Relationship: Sendable {
        var value: Schema.Relationship
        var location: SourceLocation
        /// The index, in the source index (`SourceIndex`), of the class that the relationship leads to; or of the
        /// entity in its Core Data model; or -1 if only the plan has the relationship.
        var target: Int
        /// True if the sources state the relationship's inverse at this property, and not only at the other one.
        var isInverseStated = false
        /// True if the import does not look for an inverse of the relationship: it is inherited from the superclass, so
        /// that the inverse belongs to the relationship there; or a Core Data model states no inverse for it.
        var isInherited = false
    }

    var name: String
    var originalName: String?
    /// The index of the model's class in the source index (`SourceIndex`), or of the entity in its Core Data model.
    var node: Int
    var location: SourceLocation
    /// The index of the superclass in the source index (`SourceIndex`); `nil` if the superclass is not a model.
    var base: Int?
    /// The names of the properties that are inherited from the superclass, if this class nevertheless becomes an entity
    /// of its own; otherwise empty.
    var inherited: Set<String> = []
    var identity: String?
    var identityType = Schema.IdentityType.uuid
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    var scope = Schema.Scope.synced
    var multiplicity = Schema.Multiplicity.many
    /// A JSON value that the app can decode, for each attribute of a `Codable` type, by the attribute's name.
    var examples: [String: String] = [:]
    /// The names of the attributes that are URLs in the app. They are sent as texts.
    var urls: Set<String> = []
    /// The names of properties that the app does not store (`@Transient`), so that they are in no version.
    var passing: Set<String> = []

    var value: Schema.Entity {
        Schema.Entity(
            name: name, originalName: originalName, scope: scope, multiplicity: multiplicity, identity: identity,
            identityType: identityType, attributes: attributes.map(\.value), relationships: relationships.map(\.value))
    }

    /// Puts `prefix`, the name of a snapshot of the sources, before the model's location and those of its properties.
    mutating func label(_ prefix: String) {
        location.file = prefix + location.file
        for index in attributes.indices { attributes[index].location.file = prefix + attributes[index].location.file }
        for index in relationships.indices {
            relationships[index].location.file = prefix + relationships[index].location.file
        }
    }

    /// The location of a property, or of the class if it has no property of that name.
    func location(of member: String) -> SourceLocation {
        attributes.first { $0.value.name == member }?.location
            ?? relationships.first { $0.value.name == member }?.location ?? location
    }
}
