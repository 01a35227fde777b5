internal import SwiftSyntax

/// The comment right before a declaration. A blank line ends it, and a comment on the last line of the code before
/// belongs to that code.
enum CommentText {
    /// - Parameter parts: the parts of the declaration up to its keyword; attributes and modifiers may have comments
    ///   between them.
    static func text(before parts: [Syntax]) -> String? {
        let texts = parts.map { lines(in: $0.leadingTrivia, isFirst: $0.position.utf8Offset == 0) }.joined()
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    private static func lines(in trivia: Trivia, isFirst: Bool) -> [String] {
        var lines: [String] = []
        var isOnLineOfCode = !isFirst
        var newlines = 0
        for piece in trivia {
            switch piece {
            case .newlines(let count), .carriageReturns(let count), .carriageReturnLineFeeds(let count):
                newlines += count
                if isOnLineOfCode || newlines > 1 { lines = [] }
                isOnLineOfCode = false
            case .lineComment(let text), .docLineComment(let text):
                lines.append(line(text))
                newlines = 0
            case .blockComment(let text), .docBlockComment(let text):
                lines += block(text)
                newlines = 0
            default: break
            }
        }
        return lines
    }

    private static func line(_ comment: String) -> String {
        let rest = comment.drop { $0 == "/" }
        return trimmed(rest.first == " " ? rest.dropFirst() : rest)
    }

    private static func block(_ comment: String) -> [String] {
        var body = comment.dropFirst(2)
        if body.hasSuffix("*/") { body = body.dropLast(2) }
        if body.hasPrefix("*") { body = body.dropFirst() }
        var lines = body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if let first = lines.first, first.first == " " { lines[0] = first.dropFirst() }
        let later = lines.dropFirst().filter { !isBlank($0) }
        if !later.isEmpty, later.allSatisfy({ $0.drop(while: \.isWhitespace).hasPrefix("*") }) {
            for index in lines.indices.dropFirst() {
                let rest = lines[index].drop(while: \.isWhitespace).dropFirst()
                lines[index] = rest.first == " " ? rest.dropFirst() : rest
            }
        } else {
            let indentation = later.map { $0.prefix(while: \.isWhitespace).count }.min() ?? 0
            for index in lines.indices.dropFirst() { lines[index] = lines[index].dropFirst(indentation) }
        }
        while let first = lines.first, isBlank(first) { lines.removeFirst() }
        while let last = lines.last, isBlank(last) { lines.removeLast() }
        return lines.map(trimmed)
    }

    private static func isBlank(_ line: Substring) -> Bool { line.allSatisfy(\.isWhitespace) }

    /// Returns the line without its line end.
    private static func trimmed(_ line: Substring) -> String {
        var rest = line
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
