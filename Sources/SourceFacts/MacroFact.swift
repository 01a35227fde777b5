/// A use of a freestanding macro.
public struct MacroFact: Codable, Hashable, Sendable {
    /// The macro's name, without the number sign.
    public var name: String
    /// The generic arguments of the macro, such as `Trip` in `#Unique<Trip>([\.name])`. Empty if there are none.
    public var genericArguments: [TypeReference]
    /// The arguments of the macro in parentheses, such as `[\.name]` in `#Unique<Trip>([\.name])`.
    public var arguments: [ArgumentFact]
    /// The position of the macro's number sign.
    public var location: SourceLocation
    /// The condition of the `#if` block within the type that contains the macro, such as `os(iOS)`. `nil` if there is
    /// no such block. Conditions are written as in `TypeFact.condition`.
    public var condition: String?

    /// Creates the facts about one use of a macro.
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
