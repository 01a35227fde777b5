internal import SwiftSyntax

/// The condition under which a declaration is compiled: for each `#if` around it, its clause's condition holds and that
/// of no earlier clause does.
struct Condition {
    /// The terms, all of which must hold.
    private var terms: [Term] = []

    static let always = Condition()

    private struct Term {
        var condition: String
        var isHeld = true

        /// - Parameter isAlone: true if the condition has no other term.
        func text(isAlone: Bool) -> String {
            let hasAnd = condition.contains("&&")
            let isBracketed = condition.contains("||") || (hasAnd && !isHeld)
            let text = isBracketed && !(isHeld && isAlone) ? "(\(condition))" : condition
            return isHeld ? text : "not \(text)"
        }
    }

    /// The condition in words, `os(iOS) and not (DEBUG || TEST)`; `nil` without an `#if`.
    var text: String? {
        terms.isEmpty ? nil : terms.map { $0.text(isAlone: terms.count == 1) }.joined(separator: " and ")
    }

    /// Returns the clauses of an `#if` within this condition, with the condition of each.
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
