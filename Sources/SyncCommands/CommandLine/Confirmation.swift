import Glibc

/// A question before an action that cannot be undone.
enum Confirmation {
    /// Asks the user to type `word`; without a terminal, `--yes` must have been given instead.
    ///
    /// - Parameters:
    ///   - consequence: the effect of the action, in a sentence or two.
    ///   - refusal: the error's text if the word is not typed.
    /// - Throws: `CommandError`, if the action is not confirmed.
    static func ask(for word: String, _ consequence: String, otherwise refusal: String) throws(CommandError) {
        guard isatty(STDIN_FILENO) == 1 else { throw CommandError("\(consequence) Say ‘--yes’ to go on.") }
        Terminal.note("\(consequence) Type ‘\(word)’ to go on:")
        guard readLine() == word else { throw CommandError(refusal) }
    }
}
