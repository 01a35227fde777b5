package import WireFormats

/// A disagreement between two clocks: one of them is wrong, and it is unknown which.
package struct ClockDisagreement: Error, Hashable {
    /// The kind of disagreement: with this machine's clock, or with earlier readings of the database's clock.
    package enum Kind: Sendable {
        /// This machine's clock shows another time than the database's.
        case hostDiffers
        /// The database's clock shows another time than expected from earlier readings, and this machine's clock does
        /// not confirm it.
        case databaseJumped
    }

    package let kind: Kind
    package let host: Timestamp
    package let database: Timestamp
    /// The time that the database's clock should show, judged by earlier readings.
    package let expected: Timestamp

    /// The greatest accepted difference between two clocks. Machines that synchronize over a network differ by less
    /// than a second. A machine that does not drifts by a second or two a day, so a greater difference means that
    /// nobody maintains one of the clocks. Edits tolerate more: the server replaces the time of an edit only if it is
    /// more than five minutes ahead of the server's clock.
    package static let differenceMax = Duration.seconds(30)
}

extension ClockDisagreement: CustomStringConvertible {
    /// The clocks' times, the meaning of the disagreement and the remedy, in sentences.
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
