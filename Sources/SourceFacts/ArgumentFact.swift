/// An argument of a call, an attribute or a macro. A trailing closure is the last argument, without a label if it has
/// none.
public struct ArgumentFact: Codable, Hashable, Sendable {
    /// The label; `nil` for an argument without one.
    public var label: String?
    /// The argument's expression.
    public var value: ExpressionFact

    /// Creates an argument from its label and its expression.
    public init(label: String? = nil, value: ExpressionFact) {
        self.label = label
        self.value = value
    }
}
