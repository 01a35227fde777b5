/// A case of an enumeration.
public struct CaseFact: Codable, Hashable, Sendable {
    /// The case's name, without back-ticks.
    public var name: String
    /// The position of the case's name.
    public var location: SourceLocation
    /// The raw value that the case states; `nil` if Swift derives it or there is none.
    public var rawValue: ExpressionFact?
    /// True if the case has associated values.
    public var hasAssociatedValues: Bool
    /// The condition of the `#if` block within the enumeration that contains the case, such as `os(iOS)`. `nil` if
    /// there is no such block. Conditions are written as in `TypeFact.condition`.
    public var condition: String?

    /// Creates the facts about one case of an enumeration.
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
