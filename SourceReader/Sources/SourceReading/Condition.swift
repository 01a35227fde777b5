internal import SwiftSyntax

/// What is true where a declaration counts: of each `#if` around it what the clause says, and that no earlier clause
/// holds.
struct Condition {
    /// All hold.
    private var terms: [Term] = []

    static let always = Condition()

    private struct Term {
        var condition: String
        var isHeld = true

        /// - Parameter isAlone: whether no other term is beside it.
        func text(isAlone: Bool) -> String {
            let hasAnd = condition.contains("&&")
            let isBracketed = condition.contains("||") || (hasAnd && !isHeld)
            let text = isBracketed && !(isHeld && isAlone) ? "(\(condition))" : condition
            return isHeld ? text : "not \(text)"
        }
    }

    /// In words, `os(iOS) and not (DEBUG || TEST)`; nothing where there is no `#if`.
    var text: String? {
        terms.isEmpty ? nil : terms.map { $0.text(isAlone: terms.count == 1) }.joined(separator: " and ")
    }

    /// The clauses of an `#if` within this condition, with theirs.
    func clauses(of config: IfConfigDeclSyntax) -> [(condition: Condition, elements: IfConfigClauseSyntax.Elements)] {
        var earlier: [Term] = []
        return config.clauses.compactMap { clause in
            let own = clause.condition.map { Term(condition: $0.trimmedDescription) }
            var condition = self
            condition.terms += earlier + (own.map { [$0] } ?? [])
            own.map { earlier.append(Term(condition: $0.condition, isHeld: false)) }
            return clause.elements.map { (condition, $0) }
        }
    }
}
