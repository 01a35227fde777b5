/// A property, stored or computed; `let a, b: Int` makes two of them.
public struct PropertyFact: Codable, Hashable, Sendable {
    public var name: String
    public var location: SourceLocation
    public var comment: String?
    public var attributes: [AttributeFact]
    /// The modifiers, such as `static`, `lazy`, `private`, `private(set)`.
    public var modifiers: [String]
    /// True if the property is a `let`.
    public var isConstant: Bool
    /// True if the property has a getter: observers (`didSet`) alone make no property computed.
    public var isComputed: Bool
    public var type: TypeReference?
    /// The initial value; of a computed property, the one expression that its getter returns.
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
