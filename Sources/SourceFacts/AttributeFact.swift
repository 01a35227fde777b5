/// An attribute before a declaration, such as `@Relationship(deleteRule: .cascade, inverse: \Day.trip)`.
public struct AttributeFact: Codable, Hashable, Sendable {
    /// The attribute's name, without the at sign.
    public var name: String
    /// The arguments in parentheses; empty if the attribute has no parentheses.
    public var arguments: [ArgumentFact]
    /// The position of the attribute's at sign.
    public var location: SourceLocation
    /// The condition of the `#if` block that contains the attribute, such as `os(iOS)`. `nil` if there is no such
    /// block. Conditions are written as in `TypeFact.condition`.
    public var condition: String?

    /// Creates the facts about one attribute.
    public init(
        name: String, arguments: [ArgumentFact] = [], location: SourceLocation, condition: String? = nil
    ) {
        self.name = name
        self.arguments = arguments
        self.location = location
        self.condition = condition
    }
}
