/// A case of an enumeration.
public struct CaseFact: Codable, Hashable, Sendable {
    /// The case's name, without back-ticks.
    public var name: String
    public var location: SourceLocation
    public var rawValue: ExpressionFact?
    public var hasAssociatedValues: Bool
    /// The condition of the `#if` around it, within the type.
    public var condition: String?

    public init(
        name: String, location: SourceLocation, rawValue: ExpressionFact? = nil, hasAssociatedValues: Bool,
        condition: String? = nil
    ) {
        self.name = name
        self.location = location
        self.rawValue = rawValue
        self.hasAssociatedValues = hasAssociatedValues
        self.condition = condition
    }
}
