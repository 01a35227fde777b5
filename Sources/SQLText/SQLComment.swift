/// A comment of a script, as PostgreSQL recognizes it. Text inside a string or a function's body is not a comment.
package struct SQLComment: Sendable, Hashable {
    /// The text without the dashes, or the slashes and stars, and without the spaces around.
    package let text: String
    /// The range of the comment in the script's UTF-8.
    package let bytes: Range<Int>
    /// The number of the comment's first line, from 1.
    package let line: Int
    /// True if the comment is `-- …`, and not between `/*` and `*/`.
    package let isDashed: Bool
    /// True if the comment is `-- …` on a line of its own.
    package let isLine: Bool
}
