/// A use of a freestanding macro.
public struct MacroFact: Codable, Hashable, Sendable {
    /// The macro's name, without the number sign.
    public var name: String
    /// The types in angle brackets.
    public var genericArguments: [TypeReference]
    /// The arguments in parentheses.
    public var arguments: [ArgumentFact]
    /// The position of the number sign.
    public var location: SourceLocation
    /// The condition of the `#if` around the macro, within the type; `nil` if there is none.
    public var condition: String?

    /// Makes a use of a macro.
    public init(
        name: String, genericArguments: [TypeReference] = [], arguments: [ArgumentFact] = [], location: SourceLocation,
        condition: String? = nil
    ) {
        self.name = name
        self.genericArguments = genericArguments
        self.arguments = arguments
        self.location = location
        self.condition = condition
    }
}
