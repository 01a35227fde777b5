import Postgres
import WireFormats

/// The changes of a request that are to be merged into one space, and the circumstances of the request. It is a plain
/// value: `PushRunner` decides how it is run, and `PushTransaction` merges and stores it inside a transaction.
struct Push: Sendable {
    let space: ID
    /// The space's count of revocations (withdrawals of members' rights) when the caller's rights were read, see
    /// `SpaceState.revocations`. The push is refused if the space has another count by now; `nil` if the count is not
    /// checked.
    var revocations: Int64?
    let device: ID?
    let mode: ChangeMode
    /// True if every field that the device sends is an edit. Otherwise a field may only repeat a value that the device
    /// has read, which is no edit.
    var repeatsNothing = false
    /// The number of changes in the request, invalid ones included.
    let count: Int
    /// The parsed changes, with their index in the request. Invalid changes are not among them; they already have a
    /// verdict.
    var changes: [Sent]
    /// The changes that an earlier attempt at the push found impossible, with the reasons. They are no longer in
    /// `changes`.
    var refused: [(sent: Sent, rejection: Rejection)] = []
    /// The latest stamp that is accepted as sent. A later stamp comes from a wrong clock. It is replaced by `clampedTo`
    /// or a later stamp, unless the order of the device's stamps requires an earlier one (see `PushContext.clamp`).
    let latestAccepted: Stamp
    let clampedTo: Stamp
    /// The cursor that the device sent, which must fit the state of the space; `nil` if it sent none.
    let cursor: Cursor?
    /// The records that the device has read, and the pushes whose answers it has received, according to its cursor.
    let reading: ReadProgress
    /// The check that refuses deletions that look like a mistake; `nil` if the device states that they are intended.
    let massDeletions: MassDeletions?
    /// The changes that are put into quarantine, stay there or leave it.
    var quarantine: PushQuarantine
    var purpose = Purpose.commit
    /// True if all creations of an entity are taken for new records because the first one is new. Looking for each
    /// record took a sixth of PostgreSQL's time for a push. Where the assumption is wrong, nothing is stored, and the
    /// push must be run again without it.
    var insertsOptimistically = true
    /// True if the push may share a transaction with others; false after a shared transaction has failed.
    var isSociable = true
    /// The number of attempts so far to run the push.
    var attempts = 0
    /// The number of times that the push was run again because other records had unique values that it sets.
    var uniqueRounds = 0

    /// A parsed change, with its index in the request and its stamp. The stamp is the one that the device sent, or the
    /// server's time if it sent none.
    typealias Sent = (index: Int, change: Change, stamp: Stamp)

    enum Purpose {
        case commit
        /// A dry run that only shows the result.
        case trial
        /// A dry run that only shows which records PostgreSQL does not accept.
        case isolation
    }

    /// The changes that an attempt at a push found impossible, although each of them is valid by itself.
    struct Refusal {
        /// The reasons to reject changes for good, by index in the request.
        var rejections: [Int: Rejection] = [:]
        /// The changes that must be put into quarantine, because a fault of the server prevents merging them, with the
        /// reasons; by index in the request.
        var held: [Int: QuarantineReason] = [:]

        var isEmpty: Bool { rejections.isEmpty && held.isEmpty }
    }

    struct Outcome: Sendable {
        /// The verdicts, by index in the request; `nil` for a change that this push did not merge.
        var verdicts: [Verdict?]
        /// The stamps that replaced stamps too far ahead of the server's clock, by index of the change in the request.
        var stamps: [Int: Stamp] = [:]
        /// The head of the space (its highest sequence number) before the push.
        var headBefore: Int64
        var head: Int64
        let epoch: ID
        /// The era of the latest push into the space; `nil` if none is recorded. An era is the time between two starts
        /// of PostgreSQL, see `Eras`.
        let era: Int64?
        /// True if the device already has everything that the push changed, so that its next pull need not send it.
        var needsNoEcho = true
    }

    /// The number of creations in the push. It creates fewer records if some of them exist already.
    var createdCount: Int { changes.count { $0.change.operation == .create } }

    /// Returns the record as the device had read it before the push. If the device now sends a value that it had read,
    /// that value is not an edit.
    ///
    /// Returns `nil` if every field that the device sends is an edit. Also returns `nil` if the device has not read the
    /// record's latest state, or if the record was deleted in that state.
    func read(_ entry: WorkingSet.Entry) -> RecordState? {
        if repeatsNothing { return nil }
        return entry.before.flatMap { $0.isAlive && reading.holds($0) ? $0 : nil }
    }

    /// The device id under which replaced stamps are remembered; all callers without a device share one id.
    var clampedDevice: ID { device ?? ID(high: 0, low: 0) }
}
