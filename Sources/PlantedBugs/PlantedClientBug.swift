#if DEBUG
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif
#endif

/// A deliberate bug of the client library, switched on by its name in the environment variable `SYNCCLIENT_PLANT`. A
/// test with a fleet of clients must find each of these bugs. A release build contains none of them.
package enum PlantedClientBug: String, Sendable, CaseIterable {
    /// A change leaves the outbox when it is sent, before the server has answered.
    case outboxDropped = "outbox-dropped"
    /// The last record of a page is not stored.
    case pageCutShort = "page-cut-short"
    /// Records that an initial sync does not contain are kept, although they no longer exist.
    case snapshotKeeps = "snapshot-keeps"
    /// A device does not send a restored server the records that the server lacks.
    case offersNothing = "offers-nothing"
    /// A clock that was ahead is set back too far, to before the latest stamp that the server has accepted.
    case clockSetTooFarBack = "clock-set-too-far-back"
    /// The device's latest stamp is forgotten when the process ends, so that a later edit may get an earlier stamp.
    case clockForgotten = "clock-forgotten"
    /// Changes of the same millisecond have the same stamp.
    case stampsRepeated = "stamps-repeated"
    /// Deletions by other devices are ignored.
    case deletionsIgnored = "deletions-ignored"
    /// After an update of the app, stored records are not migrated to the new version.
    case migrationSkipped = "migration-skipped"
    /// The server's verdict on a change is applied to the previous change of the push.
    case verdictsShifted = "verdicts-shifted"
    /// The changes in the outbox are discarded when the app's version is retired.
    case endedGivenUp = "ended-given-up"

    #if DEBUG
        private static let chosen = getenv("SYNCCLIENT_PLANT").flatMap {
            PlantedClientBug(rawValue: String(cString: $0))
        }

        package var isPlanted: Bool { PlantedClientBug.chosen == self }
    #else
        @inline(__always)
        package var isPlanted: Bool { false }
    #endif
}
