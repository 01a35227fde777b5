import Glibc

/// A question before something that cannot be taken back.
enum Confirmation {
    /// Has somebody type `word`; where nobody can, `--yes` must have been given.
    ///
    /// - Parameters:
    ///   - consequence: what happens, a sentence or two.
    ///   - refusal: what is said where it is not typed.
    /// - Throws: `CommandError`, where it is not to be done.
    static func ask(for word: String, _ consequence: String, otherwise refusal: String) throws(CommandError) {
        guard isatty(STDIN_FILENO) == 1 else { throw CommandError("\(consequence) Say ‘--yes’ to go on.") }
        Terminal.note("\(consequence) Type ‘\(word)’ to go on:")
        guard readLine() == word else { throw CommandError(refusal) }
    }
}
