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
    /// `.home` (no base), `Kind.home`, `Date.now`, `Trip.self`, `[Trip].self`, `name` (no base, and `isImplicit`
    /// false); of `.Kind.home`, the base is `Kind` and `isImplicit` true. What has a call before the full stop, such as
    /// `UUID().uuidString`, is `other`.
    case member(base: String?, name: String, isImplicit: Bool)
    /// `Date()`, `[String]()`, `Schema.Version(1, 0, 0)`, `MigrationStage.custom(…)`, `.custom(…)` with its full stop.
    case call(function: String, arguments: [ArgumentFact])
    /// `\Day.trip`: without the backslash.
    case keyPath(String)
    /// A closure: all of its text, braces included.
    case closure(String)
    /// Anything else, as it is written.
    case other(String)

    /// `"a": 1`
    public struct DictionaryElement: Codable, Hashable, Sendable {
        public var key: ExpressionFact
        public var value: ExpressionFact

        public init(key: ExpressionFact, value: ExpressionFact) {
            self.key = key
            self.value = value
        }
    }
}
