/// What Swift files declare, as they are written: syntax, with nothing looked up. Paths of types, types of properties
/// and what a name stands for are for the reader of these facts to find out.
///
/// `syncserver-sources`, a package of its own that links the toolchain's SwiftSyntax, writes them as one JSON object to
/// its standard output; `schema import` reads them. So what serves links no SwiftSyntax.
public struct SourceFacts: Codable, Hashable, Sendable {
    /// Counts up whenever the JSON changes: both sides are built from one commit, or refuse each other.
    public static let layout = 1

    public var layout: Int
    /// Every file read, in the order read, relative to the folder given.
    public var files: [String]
    /// Every declaration of a type, extensions included, in the order of the files; nested ones are members.
    public var types: [TypeFact]
    /// What could not be read, such as a file that is no UTF-8, or a syntax error.
    public var problems: [Problem]

    public init(files: [String] = [], types: [TypeFact] = [], problems: [Problem] = []) {
        layout = SourceFacts.layout
        self.files = files
        self.types = types
        self.problems = problems
    }

    /// A place that could not be read.
    public struct Problem: Codable, Hashable, Sendable {
        public var location: SourceLocation
        /// A sentence.
        public var message: String

        public init(location: SourceLocation, message: String) {
            self.location = location
            self.message = message
        }
    }
}

/// Where something is written.
public struct SourceLocation: Codable, Hashable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1; 0 for the file as a whole.
    public var line: Int

    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    public var description: String { line == 0 ? file : "\(file):\(line)" }
}

/// A class, struct, enumeration, actor, extension or typealias.
public struct TypeFact: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Sendable {
        case `class`, `struct`, `enum`, actor, `extension`, `typealias`, `protocol`
    }

    public var kind: Kind
    /// As written; dotted for an extension: `SchemaV1.Trip`.
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
    /// An enumeration's cases.
    public var cases: [CaseFact]
    /// Freestanding macros, such as `#Unique<Trip>([\.name])`.
    public var macros: [MacroFact]
    public var types: [TypeFact]
    /// A typealias' right side.
    public var target: TypeReference?
    /// The condition of the `#if` around it, such as `os(iOS)`; of an `#else`, its opposite as words: `not DEBUG`.
    public var condition: String?

    public init(
        kind: Kind, name: String, location: SourceLocation, comment: String? = nil, attributes: [AttributeFact] = [],
        modifiers: [String] = [], genericParameters: [String] = [], inherited: [TypeReference] = [],
        properties: [PropertyFact] = [], cases: [CaseFact] = [], macros: [MacroFact] = [], types: [TypeFact] = [],
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
        self.cases = cases
        self.macros = macros
        self.types = types
        self.target = target
        self.condition = condition
    }
}

/// A property, stored or computed; `let a, b: Int` are two.
public struct PropertyFact: Codable, Hashable, Sendable {
    public var name: String
    public var location: SourceLocation
    public var comment: String?
    public var attributes: [AttributeFact]
    /// `static`, `lazy`, `private`, `private(set)`.
    public var modifiers: [String]
    /// Whether it is a `let`.
    public var isConstant: Bool
    /// Whether it has a getter: observers (`didSet`) alone make nothing computed.
    public var isComputed: Bool
    public var type: TypeReference?
    /// The initial value; of a computed property the one expression that its getter returns.
    public var value: ExpressionFact?
    public var condition: String?

    public init(
        name: String, location: SourceLocation, comment: String? = nil, attributes: [AttributeFact] = [],
        modifiers: [String] = [], isConstant: Bool = false, isComputed: Bool = false, type: TypeReference? = nil,
        value: ExpressionFact? = nil, condition: String? = nil
    ) {
        self.name = name
        self.location = location
        self.comment = comment
        self.attributes = attributes
        self.modifiers = modifiers
        self.isConstant = isConstant
        self.isComputed = isComputed
        self.type = type
        self.value = value
        self.condition = condition
    }
}

/// A case of an enumeration.
public struct CaseFact: Codable, Hashable, Sendable {
    /// Without back-ticks.
    public var name: String
    public var location: SourceLocation
    public var rawValue: ExpressionFact?
    public var hasAssociatedValues: Bool

    public init(name: String, location: SourceLocation, rawValue: ExpressionFact? = nil, hasAssociatedValues: Bool) {
        self.name = name
        self.location = location
        self.rawValue = rawValue
        self.hasAssociatedValues = hasAssociatedValues
    }
}

/// An attribute before a declaration: `@Relationship(deleteRule: .cascade, inverse: \Day.trip)`.
public struct AttributeFact: Codable, Hashable, Sendable {
    /// Without the at sign.
    public var name: String
    public var arguments: [ArgumentFact]
    public var location: SourceLocation

    public init(name: String, arguments: [ArgumentFact] = [], location: SourceLocation) {
        self.name = name
        self.arguments = arguments
        self.location = location
    }
}

/// A freestanding macro.
public struct MacroFact: Codable, Hashable, Sendable {
    /// Without the number sign.
    public var name: String
    public var genericArguments: [TypeReference]
    public var arguments: [ArgumentFact]
    public var location: SourceLocation

    public init(
        name: String, genericArguments: [TypeReference] = [], arguments: [ArgumentFact] = [], location: SourceLocation
    ) {
        self.name = name
        self.genericArguments = genericArguments
        self.arguments = arguments
        self.location = location
    }
}

/// An argument of a call, an attribute or a macro; a trailing closure is the last, without a label if it has none.
public struct ArgumentFact: Codable, Hashable, Sendable {
    public var label: String?
    public var value: ExpressionFact

    public init(label: String? = nil, value: ExpressionFact) {
        self.label = label
        self.value = value
    }
}

/// A type as it is written.
public indirect enum TypeReference: Codable, Hashable, Sendable {
    /// `Trip`, `SchemaV1.Trip`, `Set<String>`: dotted, with the generic arguments of the last part.
    case named(String, arguments: [TypeReference])
    /// `T?`, `T!`
    case optional(TypeReference)
    /// `[T]`
    case array(TypeReference)
    /// `[K: V]`
    case dictionary(key: TypeReference, value: TypeReference)
    /// Anything else, as it is written: tuples, functions, `any P`, `some P`.
    case other(String)
}

/// An expression, as far as declarations of models need it.
public indirect enum ExpressionFact: Codable, Hashable, Sendable {
    /// Without interpolation; escapes resolved.
    case string(String)
    /// As written but for underscores: `-1`, `0x1F`.
    case integer(String)
    /// As written but for underscores: `-0.5`, `1e3`.
    case float(String)
    case bool(Bool)
    case null
    case array([ExpressionFact])
    /// `[:]`, `["a": 1]`
    case dictionary([DictionaryElement])
    /// `.home` (no base), `Kind.home`, `Date.now`, `Trip.self`, `name` (no base, and `isImplicit` false).
    case member(base: String?, name: String, isImplicit: Bool)
    /// `Date()`, `UUID()`, `Schema.Version(1, 0, 0)`, `MigrationStage.custom(…)`, `.custom(…)`.
    case call(function: String, arguments: [ArgumentFact])
    /// `\Day.trip`: without the backslash.
    case keyPath(String)
    /// A closure: all of its text, braces included.
    case closure(String)
    /// Anything else, as it is written.
    case other(String)

    public struct DictionaryElement: Codable, Hashable, Sendable {
        public var key: ExpressionFact
        public var value: ExpressionFact

        public init(key: ExpressionFact, value: ExpressionFact) {
            self.key = key
            self.value = value
        }
    }
}
