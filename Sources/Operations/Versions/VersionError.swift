import PGStore
package import WireFormats

/// The errors of operations on versions. Nothing was changed.
package enum VersionError: Error, Hashable {
    case unknown(String, app: String, known: [String])
    /// The newest version cannot be retired: devices would have nothing to update to.
    case newest(String)
    case past(Boundary, PastMoment)
    /// Outboxes would be accepted beyond the year 9999.
    case outboxEndTooLate
    case outboxEndsFirst(outboxEnd: Timestamp, end: Timestamp)
    case inUse(StrandedDevices)
    case malformedLink

    /// The meaning of a stated time.
    package enum Boundary: Sendable {
        case sunset
        case end
        case outboxEnd
    }
}

/// The devices that used a version in the last 30 days and use no newer one now, as a sentence.
package struct StrandedDevices: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Returns `nil` if there are none.
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
