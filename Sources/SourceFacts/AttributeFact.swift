/// An attribute before a declaration: `@Relationship(deleteRule: .cascade, inverse: \Day.trip)`.
public struct AttributeFact: Codable, Hashable, Sendable {
    /// Without the at sign.
    public var name: String
    public var arguments: [ArgumentFact]
    public var location: SourceLocation

    public init(name: String, arguments: [ArgumentFact] = [], location: SourceLocation) {
        self.name = name
        self.arguments = arguments
        self.location = location
    }
}
