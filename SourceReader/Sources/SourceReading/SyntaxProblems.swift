internal import SourceFacts
internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftParserDiagnostics
internal import SwiftSyntax

internal import struct SourceFacts.SourceLocation

/// What the parser says of a file's syntax, and whether its tree may be walked at all.
package enum SyntaxProblems {
    /// How much is said of syntax errors. What words them traps at some, and needs minutes for thousands.
    package enum Detail: String, Codable, Sendable {
        /// Each, with its line.
        case located
        /// That there are any.
        case mentioned
    }

    /// What follows the first ones is mostly their consequence, and to find thousands takes minutes.
    static let problemsMax = 20

    /// Walking a tree takes stack for each level. Code that people write stays below a hundred or two.
    static let levelsMax = 4_000

    static func problems(
        of tree: SourceFileSyntax, in source: SourceText, errors: Detail
    ) -> [SourceFacts.Problem] {
        guard tree.hasError else { return [] }
        guard errors == .located else { return [unlocated(in: source)] }
        var problems: [SourceFacts.Problem] = []
        for part in parts(of: tree) where part.hasError {
            for diagnostic in ParseDiagnosticsGenerator.diagnostics(for: part) {
                guard problems.count < problemsMax else {
                    problems[problemsMax - 1].message += " More syntax errors follow."
                    return problems
                }
                let location = source.location(at: diagnostic.position)
                problems.append(SourceFacts.Problem(location: location, message: sentence(diagnostic.message)))
            }
        }
        if problems.isEmpty {
            problems = [unlocated(in: source)]
        }
        return problems
    }

    private static func unlocated(in source: SourceText) -> SourceFacts.Problem {
        let location = SourceLocation(file: source.name, line: 0)
        return SourceFacts.Problem(location: location, message: "Syntax error: the compiler says where.")
    }

    /// The statements of a file, and what stands beside them.
    private static func parts(of tree: SourceFileSyntax) -> [Syntax] {
        tree.children(viewMode: .all).flatMap { child in
            child.is(CodeBlockItemListSyntax.self) ? child.children(viewMode: .all).map { $0 } : [child]
        }
    }

    private static func sentence(_ message: String) -> String { "Syntax error: \(message)." }

    /// Whether a tree has more than `levelsMax` levels; without recursion, which that would be about.
    static func isTooDeep(_ tree: SourceFileSyntax) -> Bool {
        var level = [Syntax(tree)]
        for _ in 0..<levelsMax {
            level = level.flatMap { $0.children(viewMode: .all).map { $0 } }
            if level.isEmpty { return false }
        }
        return true
    }
}
