internal import SQLText

/// A comment that says something of its file: `-- key: value`, on a line of its own.
struct Directive {
    /// The kinds of directive, each by the word before its colon.
    enum Key: String, CaseIterable {
        case phase, migrate, sync, requires, accepts
        /// Read by the linter.
        case lint
    }

    let key: Key
    let value: Substring
    let line: Int

    /// A comment that somebody may have meant as one, and that says nothing.
    struct Slip: Error {
        let line: Int
        let problem: String
    }

    /// `nil` for a remark.
    init?(_ comment: SQLComment, in script: SQLScript) throws(Slip) {
        guard let (key, value) = Self.parts(of: comment) else {
            try Self.judge(comment)
            return nil
        }
        (self.key, self.value, line) = (key, value, comment.line)
        if key != .lint, script.statements.contains(where: { $0.bytes.overlaps(comment.bytes) }) {
            throw Slip(
                line: line,
                problem: "‘\(key.rawValue)’ stands inside a statement. Move it above the statement, or behind it.")
        }
    }

    private static func parts(of comment: SQLComment) -> (Key, Substring)? {
        // Without an expression, which would be parsed anew for each comment.
        guard comment.isLine, let colon = comment.text.firstIndex(of: ":"),
            let key = Key(rawValue: String(comment.text[..<colon])), lines(of: comment.text).count == 1
        else { return nil }
        return (key, comment.text[colon...].dropFirst().drop { $0 == " " || $0 == "\t" })
    }

    private static func judge(_ comment: SQLComment) throws(Slip) {
        for (place, line) in lines(of: comment.text).enumerated() {
            let words = MeantDirective.Words(line)
            guard let key = MeantDirective.key(of: words, in: line) else { continue }
            let form = "‘-- \(key.rawValue): …’"
            throw Slip(
                line: comment.line + (comment.isDashed ? 0 : place),
                problem: "‘\(words.shown)’ is read as a remark, and looks like \(form). Write it exactly so, on a line "
                    + "of its own; or begin the remark with another word.")
        }
    }

    /// As an editor may show them. PostgreSQL ends a line, and so a comment, at LF and CR alone.
    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }
}
