/// What an argument or an option's value can be, as far as a shell can complete it.
package enum ValueKind: Hashable, Sendable {
    case any
    case file
    case folder
    /// The name of an app that the program was started for.
    case app
    /// One of these words.
    case words([String])
}
