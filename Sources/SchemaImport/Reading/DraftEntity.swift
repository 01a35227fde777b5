import SourceFacts
import WireFormats

/// A model as far as the sources tell what it is.
struct DraftEntity: Sendable {
    /// A property that becomes an attribute.
    struct Attribute: Sendable {
        var value: Schema.Attribute
        var location: SourceLocation
    }

    /// A property that leads to other models.
    struct Relationship: Sendable {
        var value: Schema.Relationship
        var location: SourceLocation
        /// The class that it leads to, by its place in the index.
        var target: Int
        /// Whether the sources name the inverse here.
        var isInverseStated = false
        /// Came from the class above, whose own relationship has the inverse.
        var isInherited = false
    }

    var name: String
    var originalName: String?
    /// Its class, by its place in the index.
    var node: Int
    var location: SourceLocation
    /// The model that its class is a subclass of, by its place in the index.
    var base: Int?
    /// Members that it has of that, where it is an entity of its own all the same.
    var inherited: Set<String> = []
    var identity: String?
    var identityType = Schema.IdentityType.uuid
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
    var scope = Schema.Scope.synced
    var multiplicity = Schema.Multiplicity.many
    /// Values of attributes of `Codable` types in JSON, which the app can decode.
    var examples: [String: String] = [:]
    /// Attributes that are URLs, and travel as texts.
    var urls: Set<String> = []
    /// Properties that never leave the device, and so are in no version.
    var passing: Set<String> = []

    var value: Schema.Entity {
        Schema.Entity(
            name: name, originalName: originalName, scope: scope, multiplicity: multiplicity, identity: identity,
            identityType: identityType, attributes: attributes.map(\.value), relationships: relationships.map(\.value))
    }

    /// Puts a state's name before each place.
    mutating func label(_ prefix: String) {
        location.file = prefix + location.file
        for place in attributes.indices { attributes[place].location.file = prefix + attributes[place].location.file }
        for place in relationships.indices {
            relationships[place].location.file = prefix + relationships[place].location.file
        }
    }

    /// Where a property stands; the class itself where there is none of that name.
    func location(of member: String) -> SourceLocation {
        attributes.first { $0.value.name == member }?.location
            ?? relationships.first { $0.value.name == member }?.location ?? location
    }
}
