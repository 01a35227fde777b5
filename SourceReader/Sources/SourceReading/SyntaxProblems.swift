internal import SourceFacts
internal import SwiftDiagnostics
internal import SwiftParser
internal import SwiftParserDiagnostics
internal import SwiftSyntax

internal import struct SourceFacts.SourceLocation

/// What the parser says of a file's syntax, and whether its tree may be walked at all.
enum SyntaxProblems {
    /// What follows the first ones is mostly their consequence, and to find thousands takes minutes.
    static let problemsMax = 20

    /// Walking a tree takes stack for each level. Code that people write stays below a hundred or two.
    static let levelsMax = 4_000

    static func problems(of tree: SourceFileSyntax, in source: SourceText) -> [SourceFacts.Problem] {
        guard tree.hasError else { return [] }
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
            let location = SourceLocation(file: source.name, line: 0)
            problems = [SourceFacts.Problem(location: location, message: "Syntax error: the compiler says where.")]
        }
        return problems
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
