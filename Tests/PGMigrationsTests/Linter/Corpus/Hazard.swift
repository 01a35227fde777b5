import Testing

/// A statement that would keep others waiting, break or lose something, and what the linter says of it.
struct Hazard: Sendable, CustomTestStringConvertible {
    let sql: String
    let verdict: Verdict

    /// The outcome for the file.
    enum Verdict: Sendable, Hashable {
        /// A rule finds it.
        case found(String)
        /// It is refused when it is read.
        case refused
        /// Nothing is said: docs/migrations.md lists it.
        case missed
    }

    init(_ sql: String, _ rule: String) {
        self.init(sql, .found(rule))
    }

    init(_ sql: String, _ verdict: Verdict) {
        self.sql = sql
        self.verdict = verdict
    }

    var testDescription: String { sql.split(separator: "\n").joined(separator: " ") }

    static let all = waiting + breaking + losing + opening + hiding + misread + missed
}
