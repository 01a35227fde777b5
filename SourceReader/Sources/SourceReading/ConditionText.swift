internal import SwiftSyntax

/// What is true where a clause of an `#if` counts, in words.
enum ConditionText {
    /// Each clause of an `#if`, with its condition: what it says itself, that no earlier clause holds, and what is
    /// around it.
    static func clauses(
        of config: IfConfigDeclSyntax, within outer: String?
    ) -> [(condition: String?, elements: IfConfigClauseSyntax.Elements)] {
        var earlier: [String] = []
        return config.clauses.compactMap { clause in
            let own = clause.condition.map(\.trimmedDescription)
            let terms = earlier.map { "not \(bracketed($0))" } + (own.map { [$0] } ?? [])
            own.map { earlier.append($0) }
            guard let elements = clause.elements else { return nil }
            return (joined((outer.map { [$0] } ?? []) + terms), elements)
        }
    }

    private static func joined(_ terms: [String]) -> String? {
        if terms.count < 2 { return terms.first }
        return terms.map { $0.contains("||") && !$0.hasPrefix("not (") ? bracketed($0) : $0 }.joined(separator: " and ")
    }

    private static func bracketed(_ condition: String) -> String {
        condition.contains("||") || condition.contains("&&") || condition.contains(" and ")
            ? "(\(condition))" : condition
    }
}
