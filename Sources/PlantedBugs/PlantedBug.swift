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
    /// Lets a creation overwrite later values of its record. So a creation that arrives again undoes later edits.
    case retryApplied = "retry-applied"
    /// Sends only one page of the additional data that a device needs after an update of its app: the records and
    /// values that the older version could not see.
    case wideningCutShort = "widening-cut-short"
    /// Accepts stamps that are far ahead of the server's clock, instead of replacing them.
    case clampRemoved = "clamp-removed"
    /// Makes the cursor of every page but the last one too high by one sequence number. So the next page may skip a
    /// record.
    case pageBoundary = "page-boundary"
    /// Treats a page on which few records have changed as the last one, although more pages follow.
    case thinPageLast = "thin-page-last"
    /// Stores a value that an older version has read and sends back unchanged. The stored value then loses the details
    /// that the older version cannot represent.
    case echoWrittenBack = "echo-written-back"
    /// Reports a change as held in quarantine, because it cannot be merged, but does not store it there.
    case quarantineDropped = "quarantine-dropped"
    /// Treats a device that pushes a change as if it had read the record's state from before the push, even if its
    /// cursor shows that it has not.
    case staleHeld = "stale-held"
    /// Accepts a cursor from before the latest renewal of the database's epoch (the mark of its history) as a current
    /// one.
    case epochIgnored = "epoch-ignored"
    /// Accepts a cursor from a history of the space that was lost when the database was restored. It checks only that
    /// the cursor's number is not beyond the space's latest change.
    case eraIgnored = "era-ignored"
    /// Treats a device as if it still had all records that it has ever pushed, even if its cursor shows that it has
    /// lost some.
    case rangesOfDevice = "ranges-of-device"
    /// Treats an edit as the repetition of a value, and ignores it, if it equals the stored value. This is wrong if the
    /// device never read that value, because the user then really set it.
    case repetitionUnheld = "repetition-unheld"
    /// Compares a reference in a change with the stored reference, even if its target does not exist. Devices read null
    /// in that case. So a device that sends this null back erases the stored reference.
    case hiddenReferenceErased = "hidden-reference-erased"
    /// Merges a change with a whole record (all attributes) again when it arrives a second time.
    case wholeJudgedAgain = "whole-judged-again"
    /// Gives the parts into which a stage (migration step) splits an attribute one stamp together, instead of one each.
    case partsShareStamp = "parts-share-stamp"
    /// Forgets that a change was rejected because of other records. So it decides again when the change arrives a
    /// second time.
    case refusalForgotten = "refusal-forgotten"
    /// Replaces stamps that are too far ahead by stamps in the order of arrival. Correct replacements are in the order
    /// of the replaced stamps.
    case clampsUnordered = "clamps-unordered"
    /// Gives a change without a stamp the server's time, even if its record has later stamps, so that the change loses.
    case unstampedLoses = "unstamped-loses"
    /// Lets the edit that arrives later win, if two edits have equal stamps.
    case tieByArrival = "tie-by-arrival"
    /// Accepts a cursor in a request of an older version, although a newer version of the app received it.
    case newerCursorGoesOn = "newer-cursor-goes-on"
    /// Takes the number of a space's latest change from the server's memory, although another server may have increased
    /// it.
    case headRemembered = "head-remembered"
    /// Reports changes of a retired version, which an updated app still had in its outbox, as stored, but does not
    /// store them.
    case oldOutboxDropped = "old-outbox-dropped"
    /// Treats a device as if it had read a record's winning value, although it has not. This happens after the device
    /// sent two edits of the record in one push, and one of them lost.
    ///
    /// The tests of audiences (the devices to which a change is sent) find this bug. The simulator does not find it,
    /// because its devices always give later changes later stamps.
    case lostUntold = "lost-untold"
    /// Lets a change that leaves the quarantine edit all of its attributes. Attributes whose values the device had only
    /// sent back unchanged must not count as edits.
    ///
    /// The tests of held readings find this bug. The simulator does not find it, because its runs quarantine too few
    /// changes.
    case replayForgetsReading = "replay-forgets-reading"
    /// Adds a change to a counter a second time. The change first arrived before the attribute was a counter, so the
    /// counter's value already includes it.
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
    /// Removes a subject from its spaces by outdated information. The server counts the members of each space when it
    /// lists the subject's spaces, and does not count them again before it leaves or closes a space.
    case leavesAsListed = "leaves-as-listed"
    // Fleets over two databases, between which spaces move, find the next three.
    /// Lets a database serve spaces that it no longer serves, if a server with an outdated map asks it.
    case staleMapBelieved = "stale-map-believed"
    /// Lets two databases serve a bucket of spaces at the same time, while it moves.
    case bucketTwice = "bucket-twice"
    /// Ends the copy of a bucket while its database still serves it, and does not compare the rows.
    case moveForgetsLast = "move-forgets-last"

    #if DEBUG
        private static let chosen = getenv("SYNCSERVER_PLANT").flatMap { PlantedBug(rawValue: String(cString: $0)) }

        package var isPlanted: Bool { PlantedBug.chosen == self }
    #else
        @inline(__always)
        package var isPlanted: Bool { false }
    #endif
}
