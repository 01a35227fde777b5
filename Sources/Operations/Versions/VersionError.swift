import PGStore
package import WireFormats

/// The errors of operations on versions. If one is thrown, nothing was changed.
package enum VersionError: Error, Hashable {
    case unknown(String, app: String, known: [String])
    /// The newest version cannot be retired, because its devices would have no version to update to.
    case newest(String)
    case past(Boundary, PastMoment)
    /// The stated end would be beyond the year 9999. Changes written in the version would be accepted until then.
    case outboxEndTooLate
    case outboxEndsFirst(outboxEnd: Timestamp, end: Timestamp)
    case inUse(StrandedDevices)
    case malformedLink

    /// The event at a time that an operator states: the announced end, the end, or the last push of old changes.
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

    /// Counts the devices of a version; `nil` if there are none.
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
