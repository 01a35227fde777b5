/// One thing that an app's package needs, and whether it is there.
struct Need {
    enum State: String {
        /// It is there.
        case fine
        /// Nothing is broken, and something is left to do.
        case open
        /// A build, a test or a start will fail.
        case missing
    }

    /// Such as `PostgreSQL`.
    let subject: String
    let state: State
    /// What was seen.
    let finding: String
    /// The next command, or what else to do; empty where all is fine.
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
