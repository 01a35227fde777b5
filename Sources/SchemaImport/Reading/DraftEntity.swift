import SourceFacts
import WireFormats

/// A model of one version, as the sources show it.
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
        /// The index of the class that the relationship leads to, in the source index (`SourceIndex`). In a Core Data
        /// model, it is the index of the entity. It is -1 if only the plan has the relationship.
        var target: Int
        /// True if the sources state the inverse in the declaration of this relationship. False otherwise, even if they
        /// state it in the declaration of the inverse relationship.
        var isInverseStated = false
        /// True if the import must not look for the relationship's inverse. The relationship is inherited, so that its
        /// inverse belongs to the superclass; or the Core Data model gives it no inverse.
        var isInherited = false
    }

    var name: String
    var originalName: String?
    /// The index of the model's class in the source index (`SourceIndex`). For a model that comes from Core Data, it is
    /// the index of the entity in the Core Data model.
    var node: Int
    var location: SourceLocation
    /// The index of the superclass in the source index (`SourceIndex`); `nil` if the superclass is not a model.
    var base: Int?
    /// The names of the properties that the class inherits. Empty unless the class has a superclass and is an entity of
    /// its own.
    var inherited: Set<String> = []
    var identity: String?
    var identityType = Schema.IdentityType.uuid
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    var scope = Schema.Scope.synced
    var multiplicity = Schema.Multiplicity.many
    /// Examples of JSON that the app can decode, for attributes of a `Codable` type, by the attribute's name.
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
