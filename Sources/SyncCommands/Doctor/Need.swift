/// A requirement for building, testing or serving an app's package, with the result of checking it.
struct Need {
    enum State: String {
        /// A requirement that is met.
        case fine
        /// A requirement that is met only in part, or could not be checked. It stops nothing yet, but something may
        /// have to be done later.
        case open
        /// A requirement that is not met, so that a build, a test or a start will fail.
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
