#if DEBUG
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif
#endif

/// A deliberate bug of the server's engine, switched on by its name in the environment variable `SYNCSERVER_PLANT`. The
/// simulator must find each of these bugs; this tests the simulator. A release build contains none of them.
package enum PlantedBug: String, Sendable, CaseIterable {
    /// An edit is stored without its stamp, so that an earlier edit still wins over it.
    case lostStamp = "lost-stamp"
    /// A push reads the number of the space's latest change before the push ahead of it is complete.
    case headBeforeLock = "head-before-lock"
    /// A record is not deleted with another, although the delete rule of their relationship demands it.
    case deleteRuleSkipped = "delete-rule-skipped"
    /// A repeated creation is applied as if it were new, although the record has later values. A retry can cause this.
    case retryApplied = "retry-applied"
    /// After an update of its app, a device receives only one page of the records and values that its older version
    /// could not see.
    case wideningCutShort = "widening-cut-short"
    /// Stamps that are far ahead of the server's clock are accepted instead of replaced.
    case clampRemoved = "clamp-removed"
    /// The cursor of a page, unless it is the last one, is one sequence number too far, so that a record is skipped.
    case pageBoundary = "page-boundary"
    /// A page on which few records have changed is treated as the last one, although more follow.
    case thinPageLast = "thin-page-last"
    /// A value that an older version read and sends back unchanged is written, so that it loses what that version
    /// cannot represent.
    case echoWrittenBack = "echo-written-back"
    /// A change that the server cannot merge is reported as held in quarantine, but is not stored there.
    case quarantineDropped = "quarantine-dropped"
    /// A device that pushes is treated as if it had read the record's previous state, whatever its cursor shows.
    case staleHeld = "stale-held"
    /// A cursor from before the latest renewal of the database's epoch is accepted as a current one.
    case epochIgnored = "epoch-ignored"
    /// A cursor is accepted if its number is not beyond the space's latest change, even if the history in which it was
    /// made was lost in a restoration.
    case eraIgnored = "era-ignored"
    /// A device is treated as if it still had all records that a device with its id ever pushed, whatever its cursor
    /// shows.
    case rangesOfDevice = "ranges-of-device"
    /// An edit that equals the stored value is treated as an unchanged repetition, although its device never read that
    /// value.
    case repetitionUnheld = "repetition-unheld"
    /// A reference in a change is compared with the stored one, even where the device reads null because the target
    /// does not exist.
    case hiddenReferenceErased = "hidden-reference-erased"
    /// A change with a whole record is decided again when it arrives a second time.
    case wholeJudgedAgain = "whole-judged-again"
    /// The parts into which a stage splits an attribute have one stamp together, instead of one each.
    case partsShareStamp = "parts-share-stamp"
    /// A change that was rejected because of other records is decided again when it arrives a second time.
    case refusalForgotten = "refusal-forgotten"
    /// Stamps that replace ones too far ahead are in the order of arrival, not in the order of the stamps that they
    /// replace.
    case clampsUnordered = "clamps-unordered"
    /// A change without a stamp gets the server's time, even if its record has later stamps, so that the change loses.
    case unstampedLoses = "unstamped-loses"
    /// If two edits have equal stamps, the one that arrives later wins.
    case tieByArrival = "tie-by-arrival"
    /// A cursor that a newer version of the app received is accepted in a request of an older version.
    case newerCursorGoesOn = "newer-cursor-goes-on"
    /// A server uses the latest change number of a space from its memory, although another server may have increased
    /// it.
    case headRemembered = "head-remembered"
    /// Changes of a retired version, which an updated app still had in its outbox, are reported as stored, but are not
    /// stored.
    case oldOutboxDropped = "old-outbox-dropped"
    /// If a device sends two edits of a record in one push and one of them loses, it is treated as if it had read the
    /// winning value. Tests of audiences find this bug, not the simulator, whose devices always give later changes
    /// later stamps.
    case lostUntold = "lost-untold"
    /// A quarantined change that is merged later edits all attributes that it contains, also those that its device only
    /// repeated. Tests of held readings find this bug, not the simulator, whose runs quarantine too few changes.
    case replayForgetsReading = "replay-forgets-reading"
    /// A change that was decided before its attribute became a counter is added to the counter when it arrives again.
    case decidedCountsAgain = "decided-counts-again"
    /// A device creates a record again after its deletion, and the deleted values stay in the record.
    case deletedComesBack = "deleted-comes-back"
    /// One endpoint accepts any token of the app for any space. Tests of access find this bug, not the simulator.
    case accessUnchecked = "access-unchecked"
    // A fleet of members finds the next four.
    /// Two subjects that are looked up together are confused if their names are equal by Unicode's rules but differ in
    /// bytes.
    case subjectsAsUnicode = "subjects-as-unicode"
    /// The rights of a token stay as at the latest look-up, even if they have changed since.
    case rightsRemembered = "rights-remembered"
    /// Invitations that a member has made stay valid after the member's removal.
    case offersOutlive = "offers-outlive"
    /// When a subject leaves its spaces, each is left or closed by its state when the spaces were listed, not by its
    /// present state.
    case leavesAsListed = "leaves-as-listed"

    #if DEBUG
        private static let chosen = getenv("SYNCSERVER_PLANT").flatMap { PlantedBug(rawValue: String(cString: $0)) }

        package var isPlanted: Bool { PlantedBug.chosen == self }
    #else
        @inline(__always)
        package var isPlanted: Bool { false }
    #endif
}
