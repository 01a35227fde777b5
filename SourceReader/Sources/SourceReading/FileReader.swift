internal import SourceFacts
internal import SwiftSyntax

/// Reads the declarations of one file from its syntax tree, and reports those that it cannot read.
struct FileReader {
    let source: SourceText
    private(set) var problems: [SourceFacts.Problem] = []

    /// The maximum nesting of types, far more than people use. Together with the limit of expressions it stays below
    /// the limits of JSON readers.
    static let typesMax = 32

    init(source: SourceText) { self.source = source }

    mutating func note(_ message: String, at node: some SyntaxProtocol) {
        problems.append(SourceFacts.Problem(location: source.location(of: node), message: message))
    }

    /// Returns the types of a file that are not inside functions, because those cannot be models.
    mutating func types(in items: CodeBlockItemListSyntax, condition: Condition = .always) -> [TypeFact] {
        var types: [TypeFact] = []
        for item in items {
            guard case .decl(let declaration) = item.item else { continue }
            if let config = declaration.as(IfConfigDeclSyntax.self) {
                for clause in condition.clauses(of: config) {
                    if case .statements(let items) = clause.elements {
                        types += self.types(in: items, condition: clause.condition)
                    }
                }
            } else if let type = type(declaration, condition: condition, depth: 0) {
                types.append(type)
            }
        }
        return types
    }

    /// Returns a name without backticks.
    func name(_ token: TokenSyntax) -> String {
        let text = token.text
        return text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2 ? String(text.dropFirst().dropLast()) : text
    }
}
