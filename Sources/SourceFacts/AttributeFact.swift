/// An attribute before a declaration: `@Relationship(deleteRule: .cascade, inverse: \Day.trip)`.
public struct AttributeFact: Codable, Hashable, Sendable {
    /// Without the at sign.
    public var name: String
    public var arguments: [ArgumentFact]
    public var location: SourceLocation
    /// Under which `#if` it is there, as for a type.
    public var condition: String?

    public init(
        name: String, arguments: [ArgumentFact] = [], location: SourceLocation, condition: String? = nil
    ) {
        self.name = name
        self.arguments = arguments
        self.location = location
        self.condition = condition
    }
}
