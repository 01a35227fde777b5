#if DEBUG
    #if canImport(Darwin)
        import Darwin
    #else
        import Glibc
    #endif
#endif

/// A deliberate bug of the server's engine, switched on by its name in the environment variable `SYNCSERVER_PLANT`. The
/// simulator or another test must find each of these bugs; in this way the tests themselves are tested. A release build
/// contains none of the bugs.
package enum PlantedBug: String, Sendable, CaseIterable {
    /// Stores an edit without its stamp, so that an earlier edit still wins over it.
    case lostStamp = "lost-stamp"
    /// Lets a push read the number of the space's latest change too early, before the previous push is complete.
    case headBeforeLock = "head-before-lock"
    /// Leaves out the deletion of a record together with another one, although a delete rule demands it.
    case deleteRuleSkipped = "delete-rule-skipped"
    /// Applies a repeated creation as if it were new, although the record has later values. A retry can cause this.
    case retryApplied = "retry-applied"
    /// Sends a device only one page of the records and values that its older version could not see, after an update of
    /// its app.
    case wideningCutShort = "widening-cut-short"
    /// Accepts stamps that are far ahead of the server's clock, instead of replacing them.
    case clampRemoved = "clamp-removed"
    /// Makes the cursor of every page but the last one too high by one sequence number, so that a record is skipped.
    case pageBoundary = "page-boundary"
    /// Treats a page on which few records have changed as the last one, although more pages follow.
    case thinPageLast = "thin-page-last"
    /// Writes a value that an older version has read and sends back unchanged. The stored value then loses what that
    /// version cannot represent.
    case echoWrittenBack = "echo-written-back"
    /// Reports a change as held in quarantine, because it cannot be merged, but does not store it there.
    case quarantineDropped = "quarantine-dropped"
    /// Treats a device that pushes as if it had read the record's previous state, whatever its cursor shows.
    case staleHeld = "stale-held"
    /// Accepts a cursor from before the latest renewal of the database's epoch (the mark of its history) as a current
    /// one.
    case epochIgnored = "epoch-ignored"
    /// Accepts every cursor whose number is not beyond the space's latest change, even if the history in which the
    /// cursor was made was lost in a restoration.
    case eraIgnored = "era-ignored"
    /// Treats a device as if it still had all records that a device with its id ever pushed, whatever its cursor shows.
    case rangesOfDevice = "ranges-of-device"
    /// Treats an edit that equals the stored value as an unchanged repetition, although its device never read that
    /// value.
    case repetitionUnheld = "repetition-unheld"
    /// Compares a reference in a change with the stored reference, even where the device reads null because the target
    /// does not exist.
    case hiddenReferenceErased = "hidden-reference-erased"
    /// Decides a change with a whole record (all attributes) again when it arrives a second time.
    case wholeJudgedAgain = "whole-judged-again"
    /// Gives the parts into which a stage (migration step) splits an attribute one stamp together, instead of one each.
    case partsShareStamp = "parts-share-stamp"
    /// Decides a change that was rejected because of other records again when it arrives a second time.
    case refusalForgotten = "refusal-forgotten"
    /// Replaces stamps that are too far ahead by stamps in the order of arrival, instead of the order of the replaced
    /// stamps.
    case clampsUnordered = "clamps-unordered"
    /// Gives a change without a stamp the server's time, even if its record has later stamps, so that the change loses.
    case unstampedLoses = "unstamped-loses"
    /// Lets the edit that arrives later win, if two edits have equal stamps.
    case tieByArrival = "tie-by-arrival"
    /// Accepts a cursor that a newer version of the app received in a request of an older version.
    case newerCursorGoesOn = "newer-cursor-goes-on"
    /// Takes the number of a space's latest change from the server's memory, although another server may have increased
    /// it.
    case headRemembered = "head-remembered"
    /// Reports changes of a retired version, which an updated app still had in its outbox, as stored, but does not
    /// store them.
    case oldOutboxDropped = "old-outbox-dropped"
    /// Treats a device as if it had read the winning value, if it sends two edits of a record in one push and one of
    /// them loses. The tests of audiences (the devices to which a change is sent) find this bug. The simulator does
    /// not, because its devices always give later changes later stamps.
    case lostUntold = "lost-untold"
    /// Lets a quarantined change that is merged later edit all attributes that it contains, also those that its device
    /// only repeated. The tests of held readings find this bug. The simulator does not, because its runs quarantine too
    /// few changes.
    case replayForgetsReading = "replay-forgets-reading"
    /// Adds a change to a counter when it arrives again, although it was decided before its attribute became a counter.
    case decidedCountsAgain = "decided-counts-again"
    /// Keeps the deleted values in a record that a device creates again after its deletion.
    case deletedComesBack = "deleted-comes-back"
    /// Accepts any token of the app for any space, at one endpoint. The tests of access find this bug, not the
    /// simulator.
    case accessUnchecked = "access-unchecked"
    // A fleet of members finds the next four.
    /// Confuses two subjects (users of tokens) that are looked up together, if their names are equal by Unicode's rules
    /// but differ in bytes.
    case subjectsAsUnicode = "subjects-as-unicode"
    /// Uses the rights that a token had when it was last looked up, even if they have changed since.
    case rightsRemembered = "rights-remembered"
    /// Accepts invitations that a member has made, even after the member was removed.
    case offersOutlive = "offers-outlive"
    /// Leaves or closes the spaces of a departing subject by the state that each had when they were listed, instead of
    /// its present state.
    case leavesAsListed = "leaves-as-listed"

    #if DEBUG
        private static let chosen = getenv("SYNCSERVER_PLANT").flatMap { PlantedBug(rawValue: String(cString: $0)) }

        package var isPlanted: Bool { PlantedBug.chosen == self }
    #else
        @inline(__always)
        package var isPlanted: Bool { false }
    #endif
}
