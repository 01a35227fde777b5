#if DEBUG
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif
#endif

/// A mistake that the engine makes when it is told to, by its name in the environment variable `SYNCSERVER_PLANT`: each
/// must be found by the simulator, or the simulator would be of no use. In a release build none of them exists.
package enum PlantedBug: String, Sendable, CaseIterable {
    /// An edit is stored without its stamp, so that an earlier one still wins over it.
    case lostStamp = "lost-stamp"
    /// A push reads the head without waiting for the one before it.
    case headBeforeLock = "head-before-lock"
    /// What belongs to a dead record lives on.
    case deleteRuleSkipped = "delete-rule-skipped"
    /// A create that is older than what the record has is taken for news, as that of a retry may be.
    case retryApplied = "retry-applied"
    /// After an update of its app, a device is told one page of what it could not see.
    case wideningCutShort = "widening-cut-short"
    /// Stamps from the far future stand.
    case clampRemoved = "clamp-removed"
    /// A page that is not the last claims one record more than it has.
    case pageBoundary = "page-boundary"
    /// A page whose numbers hold few records is taken for the last.
    case thinPageLast = "thin-page-last"
    /// What an older version sends back as it read it is written, in the poorer form.
    case echoWrittenBack = "echo-written-back"
    /// A change is called held, and is not.
    case quarantineDropped = "quarantine-dropped"
    /// Who pushes is taken to hold what stood before, whatever its cursor says.
    case staleHeld = "stale-held"
    /// A cursor of another epoch is taken for one of this.
    case epochIgnored = "epoch-ignored"
    /// A cursor is good up to the head, whatever became of the state that it was minted in.
    case eraIgnored = "era-ignored"
    /// A device is taken to hold all that a device of its id ever pushed, whatever its cursor says.
    case rangesOfDevice = "ranges-of-device"
    /// What an edit finds as it says it is taken for a repetition, though its device never read it.
    case repetitionUnheld = "repetition-unheld"
    /// A reference is compared as it is stored, and not as it is read.
    case hiddenReferenceErased = "hidden-reference-erased"
    /// A whole record is judged anew when it arrives again.
    case wholeJudgedAgain = "whole-judged-again"
    /// What a stage splits has one stamp for all parts.
    case partsShareStamp = "parts-share-stamp"
    /// What was rejected for what else was there is judged anew when it arrives again.
    case refusalForgotten = "refusal-forgotten"
    /// Stamps that are replaced are in the order in which they arrive.
    case clampsUnordered = "clamps-unordered"
    /// A change without a stamp gets the server's time, whatever its record has.
    case unstampedLoses = "unstamped-loses"
    /// Of two edits with equal stamps that which arrives later stands.
    case tieByArrival = "tie-by-arrival"
    /// A cursor of a newer version is taken for one of the request's.
    case newerCursorGoesOn = "newer-cursor-goes-on"
    /// A head that this server remembers is believed, though another may have moved the space.
    case headRemembered = "head-remembered"
    /// What an updated app still has of a retired version is called stored, and is not.
    case oldOutboxDropped = "old-outbox-dropped"
    /// Who said two things of a record in one push, of which one lost, is taken to hold what stands. Tests of audiences
    /// find it: devices of the simulator give later changes later stamps.
    case lostUntold = "lost-untold"
    /// A held change that is replayed edits all that it sent, also what its device had only read. Tests of held
    /// readings find it: fleets hold too few changes.
    case replayForgetsReading = "replay-forgets-reading"
    /// What was decided before a counter was one is counted when it arrives again.
    case decidedCountsAgain = "decided-counts-again"
    /// A creation by who knew the record to be deleted leaves in it what was deleted.
    case deletedComesBack = "deleted-comes-back"
    /// One endpoint serves whoever has a token of the app, in any space. Tests of access find it, not the simulator.
    case accessUnchecked = "access-unchecked"
    // These four a fleet of members finds.
    /// Subjects that are looked up together are the same where Unicode counts their names as the same.
    case subjectsAsUnicode = "subjects-as-unicode"
    /// Rights are those of the latest look-up, whatever became of them since.
    case rightsRemembered = "rights-remembered"
    /// What somebody offered who is removed stays.
    case offersOutlive = "offers-outlive"
    /// Who goes leaves each space as it was when it was listed.
    case leavesAsListed = "leaves-as-listed"

    #if DEBUG
        private static let chosen = getenv("SYNCSERVER_PLANT").flatMap { PlantedBug(rawValue: String(cString: $0)) }

        package var isPlanted: Bool { PlantedBug.chosen == self }
    #else
        @inline(__always)
        package var isPlanted: Bool { false }
    #endif
}
