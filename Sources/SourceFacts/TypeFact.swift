/// A class, struct, enumeration, actor, extension or typealias.
public struct TypeFact: Codable, Hashable, Sendable {
    /// What it is declared with.
    public enum Kind: String, Codable, Sendable {
        case `class`, `struct`, `enum`, actor, `extension`, `typealias`, `protocol`
    }

    public var kind: Kind
    /// As written but for back-ticks; dotted for an extension: `SchemaV1.Trip`.
    public var name: String
    public var location: SourceLocation
    /// The comment right before it, without its slashes; lines separated by newlines.
    public var comment: String?
    /// `@Model`, `@available(…)`.
    public var attributes: [AttributeFact]
    /// `public`, `final`, `indirect`.
    public var modifiers: [String]
    /// Names of generic parameters.
    public var genericParameters: [String]
    /// What follows the colon: superclass, protocols, an enumeration's raw type.
    public var inherited: [TypeReference]
    public var properties: [PropertyFact]
    /// Initializers and methods by their names: `init(name:)`, `init(from:)`, `encode(to:)`.
    public var functions: [String]
    /// An enumeration's cases.
    public var cases: [CaseFact]
    /// Freestanding macros, such as `#Unique<Trip>([\.name])`.
    public var macros: [MacroFact]
    public var types: [TypeFact]
    /// A typealias' right side.
    public var target: TypeReference?
    /// The condition of the `#if` around it, such as `os(iOS)`; of an `#else`, its opposite as words: `not DEBUG`.
    /// Of one within another: `os(iOS) and not (DEBUG || TEST)`. Members do not repeat it.
    public var condition: String?

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
