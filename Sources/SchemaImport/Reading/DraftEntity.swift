import SourceFacts
import WireFormats

/// A model as far as it is known from the sources.
struct DraftEntity: Sendable {
    /// A property that becomes an attribute.
    struct Attribute: Sendable {
        var value: Schema.Attribute
        var location: SourceLocation
    }

    /// A property that refers to other models.
    struct Relationship: Sendable {
        var value: Schema.Relationship
        var location: SourceLocation
        /// The index of the target class in the source index.
        var target: Int
        /// True if the sources state the inverse at this property.
        var isInverseStated = false
        /// True if the relationship is inherited from the superclass. The inverse then belongs to the superclass's
        /// relationship.
        var isInherited = false
    }

    var name: String
    var originalName: String?
    /// The index of the model's class in the source index.
    var node: Int
    var location: SourceLocation
    /// The index of the superclass, if the superclass is a model.
    var base: Int?
    /// The members inherited from the superclass, if this class nevertheless becomes a separate entity.
    var inherited: Set<String> = []
    var identity: String?
    var identityType = Schema.IdentityType.uuid
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    var scope = Schema.Scope.synced
    var multiplicity = Schema.Multiplicity.many
    /// For attributes of `Codable` types, a JSON value that the app can decode, by attribute name.
    var examples: [String: String] = [:]
    /// The attributes that are URLs, which are sent as texts.
    var urls: Set<String> = []
    /// Properties that never leave the device, and so are in no version.
    var passing: Set<String> = []

    var value: Schema.Entity {
        Schema.Entity(
            name: name, originalName: originalName, scope: scope, multiplicity: multiplicity, identity: identity,
            identityType: identityType, attributes: attributes.map(\.value), relationships: relationships.map(\.value))
    }

    /// Prefixes all locations with the name of a snapshot of the sources.
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
