/// An argument of a call, an attribute or a macro. A trailing closure is the last argument, without a label if it has
/// none.
public struct ArgumentFact: Codable, Hashable, Sendable {
    public var label: String?
    public var value: ExpressionFact

    public init(label: String? = nil, value: ExpressionFact) {
        self.label = label
        self.value = value
    }
}
