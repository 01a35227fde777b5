/// A use of a freestanding macro.
public struct MacroFact: Codable, Hashable, Sendable {
    /// The macro's name, without the number sign.
    public var name: String
    /// The types in the angle brackets of the use; empty if it has none.
    public var genericArguments: [TypeReference]
    /// The arguments in the parentheses of the use.
    public var arguments: [ArgumentFact]
    /// The position of the macro's number sign.
    public var location: SourceLocation
    /// The condition of the `#if` inside the type around the macro, in the form of `TypeFact.condition`; `nil` if there
    /// is none.
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
