/// A comment of a script, wherever PostgreSQL reads one: not what a string or a function's body holds.
package struct SQLComment: Sendable, Hashable {
    /// Without the dashes, or the slashes and stars, and without the spaces around.
    package let text: String
    /// In the script's UTF-8.
    package let bytes: Range<Int>
    /// Where it begins, from 1.
    package let line: Int
    /// True where it is `-- …`, and not between `/*` and `*/`.
    package let isDashed: Bool
    /// Whether it is `-- …` on a line of its own.
    package let isLine: Bool
}
