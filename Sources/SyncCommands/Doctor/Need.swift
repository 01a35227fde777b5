/// A requirement for building, testing or serving an app's package, and the result of its check.
struct Need {
    enum State: String {
        /// The requirement is met.
        case fine
        /// The requirement is met, but the user should still do something.
        case open
        /// The requirement is not met: a build, a test or a start will fail.
        case missing
    }

    /// The name of the requirement, such as `PostgreSQL`.
    let subject: String
    let state: State
    /// The result of the check, in words.
    let finding: String
    /// The next command, or other advice; empty if the requirement is met.
    let remedy: String

    static func fine(_ subject: String, _ finding: String) -> Need {
        Need(subject: subject, state: .fine, finding: finding, remedy: "")
    }

    static func open(_ subject: String, _ finding: String, _ remedy: String) -> Need {
        Need(subject: subject, state: .open, finding: finding, remedy: remedy)
    }

    static func missing(_ subject: String, _ finding: String, _ remedy: String) -> Need {
        Need(subject: subject, state: .missing, finding: finding, remedy: remedy)
    }
}
