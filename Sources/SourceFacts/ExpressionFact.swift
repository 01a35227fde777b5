/// A Swift expression, in as much detail as readers of model declarations need.
public indirect enum ExpressionFact: Codable, Hashable, Sendable {
    /// A string literal without interpolation; escapes are resolved.
    case string(String)
    /// An integer as written, without underscores: `-1`, `0x1F`.
    case integer(String)
    /// A floating-point number as written, without underscores: `-0.5`, `1e3`.
    case float(String)
    case bool(Bool)
    case null
    case array([ExpressionFact])
    /// A dictionary literal: `[:]`, `["a": 1]`.
    case dictionary([DictionaryElement])
    /// A name, or a member of something. `base` is the text before the last full stop. `isImplicit` is true if the
    /// expression begins with a full stop. Examples: `.home` (no base), `Kind.home`, `Date.now`, `Trip.self`,
    /// `[Trip].self`, `name` (no base, not implicit), `.Kind.home` (base `Kind`, implicit). An expression with a call
    /// before the full stop, such as `UUID().uuidString`, is `other`.
    case member(base: String?, name: String, isImplicit: Bool)
    /// A call, with the called function as it is written: `Date()`, `[String]()`, `Schema.Version(1, 0, 0)`,
    /// `MigrationStage.custom(…)`, or `.custom(…)`, whose name begins with its full stop.
    case call(function: String, arguments: [ArgumentFact])
    /// A key path such as `\Day.trip`, without the backslash.
    case keyPath(String)
    /// A closure with all of its text, braces included.
    case closure(String)
    /// Any other expression, as it is written.
    case other(String)

    /// An element of a dictionary literal: `"a": 1`.
    public struct DictionaryElement: Codable, Hashable, Sendable {
        /// The key: the expression before the colon, such as `"a"` in `"a": 1`.
        public var key: ExpressionFact
        /// The value: the expression after the colon, such as `1` in `"a": 1`.
        public var value: ExpressionFact

        /// Creates an element of a dictionary literal.
        public init(key: ExpressionFact, value: ExpressionFact) {
            self.key = key
            self.value = value
        }
    }
}
