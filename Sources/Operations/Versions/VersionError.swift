import PGStore
package import WireFormats

/// The errors of operations on versions. If one is thrown, nothing was changed.
package enum VersionError: Error, Hashable {
    case unknown(String, app: String, known: [String])
    /// The newest version, which cannot be retired because its devices would have no version to update to.
    case newest(String)
    case past(Boundary, PastMoment)
    /// The time until which the version's changes would be accepted is after the year 9999. Such a time cannot be
    /// stored.
    case outboxEndTooLate
    case outboxEndsFirst(outboxEnd: Timestamp, end: Timestamp)
    case inUse(StrandedDevices)
    case malformedLink

    /// The time in a version's life that an operator states: the announced end, the actual end, or the time from which
    /// changes that were written in the version are refused.
    package enum Boundary: Sendable {
        case sunset
        case end
        case outboxEnd
    }
}

/// The devices that a retirement would lock out: those that used the version in the last 30 days and no newer one
/// since. `description` counts them in a sentence.
package struct StrandedDevices: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Describes the devices that would be locked out if a version were retired; `nil` if there are none.
    ///
    /// - Parameter line: the use of the version, according to the census.
    init?(_ line: CensusReport.Line) {
        if line.month.devices == 0, !line.hasAnonymous { return nil }
        let count = "\(line.month) \(line.month.devices == 1 ? "uses" : "use")"
        let anonymous = line.hasAnonymous ? ", some of which do not say which they are" : ""
        let outbox = line.outboxAge.map {
            $0 > 0 ? "; an outbox there is \(Duration.seconds($0).roughText) old" : "; their outboxes are empty"
        }
        description = "\(count) \(line.version)\(anonymous)\(outbox ?? "")."
    }
}
