import Testing

/// A statement that would block others, break or lose something, and the linter's expected finding.
struct Hazard: Sendable, CustomTestStringConvertible {
    let sql: String
    let verdict: Verdict

    /// The outcome for the file.
    enum Verdict: Sendable, Hashable {
        /// The linter reports it by this rule.
        case found(String)
        /// The file is rejected when it is read.
        case refused
        /// The linter reports nothing, and docs/migrations.md lists the hazard.
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
