import Glibc

/// A confirmation by the user before an action that cannot be undone.
enum Confirmation {
    /// Asks the user to type `word`. Without a terminal nobody can be asked, so `--yes` must be given instead.
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
