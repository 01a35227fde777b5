internal import SQLText

/// A comment that gives the migrator an instruction about its file: `-- key: value`, on a line of its own.
struct Directive {
    /// The keys of directives: the word before the colon.
    enum Key: String, CaseIterable {
        case phase, migrate, sync, requires, accepts
        /// An instruction for the linter.
        case lint
    }

    let key: Key
    let value: Substring
    let line: Int

    /// A comment that looks like a directive, but has no effect as one.
    struct Slip: Error {
        let line: Int
        let problem: String
    }

    /// Reads a comment as a directive; `nil` if the comment is an ordinary remark.
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
        // Without a regular expression, which would be compiled again for each comment.
        guard comment.isLine, let colon = comment.text.firstIndex(of: ":"),
            let key = Key(rawValue: String(comment.text[..<colon])), lines(of: comment.text).count == 1
        else { return nil }
        return (key, comment.text[colon...].dropFirst().drop { $0 == " " || $0 == "\t" })
    }

    private static func judge(_ comment: SQLComment) throws(Slip) {
        for (index, line) in lines(of: comment.text).enumerated() {
            let words = MeantDirective.Words(line)
            guard let key = MeantDirective.key(of: words, in: line) else { continue }
            let form = "‘-- \(key.rawValue): …’"
            throw Slip(
                line: comment.line + (comment.isDashed ? 0 : index),
                problem: "‘\(words.shown)’ is read as a remark, and looks like \(form). Write it exactly so, on a line "
                    + "of its own; or begin the remark with another word.")
        }
    }

    /// Splits a text at every line break that an editor may show. For PostgreSQL, only LF and CR end a line. So a
    /// comment that is one line for PostgreSQL may look like several in an editor.
    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }
}
