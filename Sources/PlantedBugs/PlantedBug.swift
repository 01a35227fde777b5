#if DEBUG
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif
#endif

/// A deliberate bug of the engine, switched on by its name in the environment variable `SYNCSERVER_PLANT`. The
/// simulator must find each, or it would be of no use. In a release build none of them exists.
package enum PlantedBug: String, Sendable, CaseIterable {
    /// An edit is stored without its stamp, so that an earlier edit still wins over it.
    case lostStamp = "lost-stamp"
    /// A push reads the space's head without waiting for the push before it.
    case headBeforeLock = "head-before-lock"
    /// Records stay alive although a delete rule should delete them with a deleted record.
    case deleteRuleSkipped = "delete-rule-skipped"
    /// A create that is older than its record's content is applied as if it were new, as can happen with a retry.
    case retryApplied = "retry-applied"
    /// After an update of its app, a device receives only one page of what its older version could not see.
    case wideningCutShort = "widening-cut-short"
    /// Stamps from the far future are accepted as they are.
    case clampRemoved = "clamp-removed"
    /// A page that is not the last moves its cursor one number too far.
    case pageBoundary = "page-boundary"
    /// A page with few records in its range of numbers is treated as the last.
    case thinPageLast = "thin-page-last"
    /// An older version's echo of a value that it read is written, in the older version's poorer form.
    case echoWrittenBack = "echo-written-back"
    /// A change is reported as held, but is not stored.
    case quarantineDropped = "quarantine-dropped"
    /// A pushing device is treated as if it held the record's earlier state, whatever its cursor says.
    case staleHeld = "stale-held"
    /// A cursor of another epoch is accepted as one of this epoch.
    case epochIgnored = "epoch-ignored"
    /// A cursor is accepted up to the head, even if the state in which it was made is gone.
    case eraIgnored = "era-ignored"
    /// A device is treated as if it held all that a device with its id ever pushed, whatever its cursor says.
    case rangesOfDevice = "ranges-of-device"
    /// An edit that equals the stored value is treated as a repetition, though its device never read that value.
    case repetitionUnheld = "repetition-unheld"
    /// A reference is compared in its stored form, and not in the form that the device reads.
    case hiddenReferenceErased = "hidden-reference-erased"
    /// A whole record is decided anew when it arrives again.
    case wholeJudgedAgain = "whole-judged-again"
    /// All parts into which a stage splits an attribute share one stamp.
    case partsShareStamp = "parts-share-stamp"
    /// A change that was rejected because of other records is decided anew when it arrives again.
    case refusalForgotten = "refusal-forgotten"
    /// Clamped stamps are ordered by arrival.
    case clampsUnordered = "clamps-unordered"
    /// A change without a stamp gets the server's time, even if its record has later stamps.
    case unstampedLoses = "unstamped-loses"
    /// An edit wins over another with an equal stamp if it arrives later.
    case tieByArrival = "tie-by-arrival"
    /// A cursor of a newer version is accepted as one of the request's version.
    case newerCursorGoesOn = "newer-cursor-goes-on"
    /// A remembered head of a space is trusted, though another server may have moved it.
    case headRemembered = "head-remembered"
    /// The changes that an updated app still has in its outbox from a retired version are reported as stored, but are
    /// not.
    case oldOutboxDropped = "old-outbox-dropped"
    /// A device that sent two edits of a record in one push, of which one lost, is treated as if it held the winning
    /// state. Tests of audiences find this bug: devices of the simulator give later changes later stamps.
    case lostUntold = "lost-untold"
    /// A held change that is replayed edits all attributes that it sent, also those that its device had only read.
    /// Tests of held readings find this bug: fleets hold too few changes.
    case replayForgetsReading = "replay-forgets-reading"
    /// A change that was decided before its attribute became a counter is counted when it arrives again.
    case decidedCountsAgain = "decided-counts-again"
    /// A creation by a device that knew the record to be deleted leaves the deleted values in it.
    case deletedComesBack = "deleted-comes-back"
    /// One endpoint serves every holder of a token of the app, in any space. Tests of access find this bug, not the
    /// simulator.
    case accessUnchecked = "access-unchecked"
    // A fleet of members finds the next four.
    /// Subjects that are looked up together are treated as equal if Unicode counts their names as equal.
    case subjectsAsUnicode = "subjects-as-unicode"
    /// The rights of the latest look-up stay in force, even if they have changed since.
    case rightsRemembered = "rights-remembered"
    /// The offers of a removed member stay.
    case offersOutlive = "offers-outlive"
    /// A space that a subject leaves is left or closed by its state when it was listed, not by its state now.
    case leavesAsListed = "leaves-as-listed"

    #if DEBUG
        private static let chosen = getenv("SYNCSERVER_PLANT").flatMap { PlantedBug(rawValue: String(cString: $0)) }

        package var isPlanted: Bool { PlantedBug.chosen == self }
    #else
        @inline(__always)
        package var isPlanted: Bool { false }
    #endif
}
