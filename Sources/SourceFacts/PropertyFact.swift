/// A property, stored or computed; `let a, b: Int` makes two of them.
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
    /// The type that is written; `nil` if it is inferred.
    public var type: TypeReference?
    /// The initial value; for a computed property, the one expression that its getter returns; `nil` if there is none.
    public var value: ExpressionFact?
    /// The condition of the `#if` around the property, within the type; `nil` if there is none.
    public var condition: String?

    /// Makes a property.
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
