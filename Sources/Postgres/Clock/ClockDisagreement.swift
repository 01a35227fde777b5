package import WireFormats

/// Two clocks that tell different times, so that one of them is wrong and nobody here knows which.
package struct ClockDisagreement: Error, Hashable {
    /// Which of the two has left the other.
    package enum Kind: Sendable {
        /// This machine's clock tells another time than the database's.
        case hostDiffers
        /// The database's clock tells another time than it did a moment ago, and this machine's does not confirm it.
        case databaseJumped
    }

    package let kind: Kind
    package let host: Timestamp
    package let database: Timestamp
    /// What the database's clock should have said, going by when it was read before.
    package let expected: Timestamp

    /// How far apart two clocks may be. Machines that set their clocks by a network are within a second, and one that
    /// does not drifts by a second or two a day: further apart means that nobody watches a clock. A tenth of what
    /// devices may be ahead, so that nobody's edits suffer before it is said.
    package static let differenceMax = Duration.seconds(30)
}

extension ClockDisagreement: CustomStringConvertible {
    /// Both times, what it means, and what to do, in sentences.
    package var description: String {
        let remedy =
            "Nothing is removed for its age before they agree within \(Self.differenceMax.components.seconds) s. "
            + "Set both by NTP (‘timedatectl’ tells whether a machine does that)."
        switch kind {
        case .hostDiffers:
            return "This machine's clock says \(host), and the database's \(database). The database's counts. \(remedy)"
        case .databaseJumped:
            return "The database's clock says \(database), and should say \(expected), going by what it said before; "
                + "this machine's says \(host). What it said before counts until the new time has lasted for ten "
                + "minutes. \(remedy)"
        }
    }
}
