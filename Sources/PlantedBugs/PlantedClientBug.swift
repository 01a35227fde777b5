#if DEBUG
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif
#endif

/// A mistake that a device over `SyncClient` makes when it is told to, by its name in the environment variable
/// `SYNCCLIENT_PLANT`: a fleet of such devices must find each. In a release build none of them exists.
package enum PlantedClientBug: String, Sendable, CaseIterable {
    /// What is sent leaves the outbox before it is answered.
    case outboxDropped = "outbox-dropped"
    /// The last record of a page is not stored.
    case pageCutShort = "page-cut-short"
    /// What a snapshot has not named stays.
    case snapshotKeeps = "snapshot-keeps"
    /// A server that was put back is offered nothing.
    case offersNothing = "offers-nothing"
    /// A clock that was ahead is set back before what stands.
    case clockSetTooFarBack = "clock-set-too-far-back"
    /// The latest stamp is forgotten when the process ends.
    case clockForgotten = "clock-forgotten"
    /// Changes of the same millisecond have the same stamp.
    case stampsRepeated = "stamps-repeated"
    /// What others delete stays.
    case deletionsIgnored = "deletions-ignored"
    /// After an update of the app records have what the older version called so.
    case migrationSkipped = "migration-skipped"
    /// A verdict is taken for that of the change before.
    case verdictsShifted = "verdicts-shifted"
    /// What is in the outbox when its version has ended is given up.
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
