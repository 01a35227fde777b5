internal import SourceFacts
internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftParserDiagnostics
internal import SwiftSyntax

internal import struct SourceFacts.SourceLocation

/// The syntax errors that the parser finds in a file, and the decision whether its tree is shallow enough to be
/// traversed.
package enum SyntaxProblems {
    /// The detail with which syntax errors are reported. The code that formats them traps at some, and needs minutes
    /// for thousands.
    package enum Detail: String, Codable, Sendable {
        /// Each error, with its line.
        case located
        /// Only the existence of errors.
        case mentioned
    }

    /// The maximum number of reported errors. Later ones mostly follow from the first, and thousands take minutes.
    static let problemsMax = 20

    /// The maximum depth of a tree. Its traversal takes stack for each level; code that people write stays below two
    /// hundred.
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

    /// Returns the statements of a file, and the other nodes beside them.
    private static func parts(of tree: SourceFileSyntax) -> [Syntax] {
        tree.children(viewMode: .all).flatMap { child in
            child.is(CodeBlockItemListSyntax.self) ? child.children(viewMode: .all).map { $0 } : [child]
        }
    }

    private static func sentence(_ message: String) -> String { "Syntax error: \(message)." }

    /// Returns true if a tree has more than `levelsMax` levels. It does not recurse, because the depth may exceed the
    /// stack.
    static func isTooDeep(_ tree: SourceFileSyntax) -> Bool {
        var level = [Syntax(tree)]
        for _ in 0..<levelsMax {
            level = level.flatMap { $0.children(viewMode: .all).map { $0 } }
            if level.isEmpty { return false }
        }
        return true
    }
}
