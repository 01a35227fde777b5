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
    /// Removes a change from the outbox when it is sent, before the server has answered.
    case outboxDropped = "outbox-dropped"
    /// Does not store the last record of a page.
    case pageCutShort = "page-cut-short"
    /// Keeps records that an initial sync does not contain, although they no longer exist.
    case snapshotKeeps = "snapshot-keeps"
    /// Does not send a restored server the records that it has lost by the restoration.
    case offersNothing = "offers-nothing"
    /// Corrects a clock that is ahead by too much. Later edits then get stamps from before the latest one that the
    /// server has accepted.
    case clockSetTooFarBack = "clock-set-too-far-back"
    /// Forgets the device's latest stamp when the process ends, so that a later edit may get an earlier stamp.
    case clockForgotten = "clock-forgotten"
    /// Gives changes of the same millisecond the same stamp.
    case stampsRepeated = "stamps-repeated"
    /// Ignores deletions by other devices.
    case deletionsIgnored = "deletions-ignored"
    /// Does not migrate stored records to the new version after an update of the app.
    case migrationSkipped = "migration-skipped"
    /// Applies the server's verdict on a change to the previous change of the push.
    case verdictsShifted = "verdicts-shifted"
    /// Discards the changes in the outbox when the app's version is retired.
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
