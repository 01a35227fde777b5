/// A use of a freestanding macro.
public struct MacroFact: Codable, Hashable, Sendable {
    /// The macro's name, without the number sign.
    public var name: String
    public var genericArguments: [TypeReference]
    public var arguments: [ArgumentFact]
    public var location: SourceLocation
    /// The condition of the `#if` around it, within the type.
    public var condition: String?

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
