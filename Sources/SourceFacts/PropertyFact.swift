/// A property, stored or computed. The declaration `let a, b: Int` makes two of them.
public struct PropertyFact: Codable, Hashable, Sendable {
    /// The property's name, without back-ticks.
    public var name: String
    /// The position of the property's name.
    public var location: SourceLocation
    /// The comment right before the declaration, in the form of `TypeFact.comment`; `nil` if there is none.
    public var comment: String?
    /// The attributes, such as `@Attribute(.unique)`.
    public var attributes: [AttributeFact]
    /// The modifiers, such as `static`, `lazy`, `private`, `private(set)`.
    public var modifiers: [String]
    /// True if the property is a `let`.
    public var isConstant: Bool
    /// True if the property has a getter. A property that only has observers (`didSet`) is not computed.
    public var isComputed: Bool
    /// The type that the declaration states; `nil` if Swift infers it.
    public var type: TypeReference?
    /// The expression of the initial value or, for a computed property, the only expression in its getter; `nil` if
    /// there is no such expression.
    public var value: ExpressionFact?
    /// The condition of the `#if` block within the type that contains the property, such as `os(iOS)`. `nil` if there
    /// is no such block. Conditions are written as in `TypeFact.condition`.
    public var condition: String?

    /// Creates the facts about one property.
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
