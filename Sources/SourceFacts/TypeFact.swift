/// A declaration of a class, struct, enumeration, actor, protocol, extension or typealias.
public struct TypeFact: Codable, Hashable, Sendable {
    /// The keyword of the declaration.
    public enum Kind: String, Codable, Sendable {
        case `class`, `struct`, `enum`, actor, `extension`, `typealias`, `protocol`
    }

    /// The keyword that declares the type.
    public var kind: Kind
    /// The name as written, without back-ticks. An extension of a nested type has a name with dots: `SchemaV1.Trip`.
    public var name: String
    /// The position of the type's name.
    public var location: SourceLocation
    /// The comment right before the declaration, without its slashes; its lines are separated by newlines.
    public var comment: String?
    /// The attributes, such as `@Model`, `@available(…)`.
    public var attributes: [AttributeFact]
    /// The modifiers, such as `public`, `final`, `indirect`.
    public var modifiers: [String]
    /// The names of the generic parameters.
    public var genericParameters: [String]
    /// The types after the colon: the superclass, protocols, or the raw type of an enumeration.
    public var inherited: [TypeReference]
    /// The properties, in their order.
    public var properties: [PropertyFact]
    /// The names of the initializers and methods, with argument labels: `init(name:)`, `init(from:)`, `encode(to:)`.
    public var functions: [String]
    /// The cases of an enumeration; empty for other types.
    public var cases: [CaseFact]
    /// The freestanding macros in the type, such as `#Unique<Trip>([\.name])`.
    public var macros: [MacroFact]
    /// The types that are declared in the type.
    public var types: [TypeFact]
    /// The type on the right side of a typealias; `nil` for other declarations.
    public var target: TypeReference?
    /// The condition of the `#if` around the declaration, such as `os(iOS)`; in an `#else`, the negation in words: `not
    /// DEBUG`. Nested conditions are joined: `os(iOS) and not (DEBUG || TEST)`. Members do not repeat their type's
    /// condition.
    public var condition: String?

    /// Creates the facts about one declaration of a type.
    public init(
        kind: Kind, name: String, location: SourceLocation, comment: String? = nil, attributes: [AttributeFact] = [],
        modifiers: [String] = [], genericParameters: [String] = [], inherited: [TypeReference] = [],
        properties: [PropertyFact] = [], functions: [String] = [],
        cases: [CaseFact] = [], macros: [MacroFact] = [], types: [TypeFact] = [],
        target: TypeReference? = nil, condition: String? = nil
    ) {
        self.kind = kind
        self.name = name
        self.location = location
        self.comment = comment
        self.attributes = attributes
        self.modifiers = modifiers
        self.genericParameters = genericParameters
        self.inherited = inherited
        self.properties = properties
        self.functions = functions
        self.cases = cases
        self.macros = macros
        self.types = types
        self.target = target
        self.condition = condition
    }
}
