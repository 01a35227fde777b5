#if DEBUG
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif
#endif

/// A deliberate bug of a device over `SyncClient`, switched on by its name in the environment variable
/// `SYNCCLIENT_PLANT`. A fleet of such devices must find each. In a release build none of them exists.
package enum PlantedClientBug: String, Sendable, CaseIterable {
    /// A sent change leaves the outbox before it is answered.
    case outboxDropped = "outbox-dropped"
    /// The last record of a page is not stored.
    case pageCutShort = "page-cut-short"
    /// Records that a snapshot does not contain stay.
    case snapshotKeeps = "snapshot-keeps"
    /// A server that was restored from a backup is offered nothing.
    case offersNothing = "offers-nothing"
    /// A clock that was ahead is set back before the latest accepted stamp.
    case clockSetTooFarBack = "clock-set-too-far-back"
    /// The latest stamp is forgotten when the process ends.
    case clockForgotten = "clock-forgotten"
    /// Changes of the same millisecond have the same stamp.
    case stampsRepeated = "stamps-repeated"
    /// Deletions by other devices are ignored.
    case deletionsIgnored = "deletions-ignored"
    /// After an update of the app, records keep what the older version stored under the same name.
    case migrationSkipped = "migration-skipped"
    /// A verdict is applied to the change before its own.
    case verdictsShifted = "verdicts-shifted"
    /// The changes in the outbox are discarded when their version has ended.
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
