import Postgres
import WireFormats

/// What a request asks to be merged into one space: a value. How it is run is `PushRunner`'s; what is done with it
/// inside a transaction is `PushAttempt`'s.
struct Push: Sendable {
    let space: ID
    /// The count of rights that the space must have; `nil` for any.
    var rights: Int64?
    let device: ID?
    let mode: ChangeMode
    /// True where its device says that no field is sent back as it was read.
    var repeatsNothing = false
    /// How many changes the request has, those at fault too.
    let count: Int
    /// Parsed changes by their place in the request; those at fault already have a verdict.
    var changes: [Sent]
    /// Those that were left out because all of the push showed that they cannot be.
    var refused: [(sent: Sent, rejection: Rejection)] = []
    /// A later stamp is taken for a wrong clock, and replaced by `clampedTo`.
    let latestAccepted: Stamp
    let clampedTo: Stamp
    /// Where the device says that it is, which the space must bear out; `nil` where it says nothing.
    let cursor: Cursor?
    /// What the device says that it has read and was acknowledged.
    let reading: Reading
    /// Refuses deletions that look like a mistake; `nil` where the device says that they are none.
    let massDeletions: MassDeletions?
    /// What the quarantine takes, keeps or gives back.
    var quarantine: PushQuarantine
    var purpose = Purpose.commit
    /// Whether creations are taken for new where the first of an entity is. To look for each was a sixth of what
    /// PostgreSQL did for a push. Where this was wrong, nothing is stored, and the push must be run without.
    var insertsOptimistically = true
    /// Whether it may be run in one transaction with others.
    var isSociable = true
    /// How often it was run.
    var attempts = 0
    /// How often it was run again for what unique values refused.
    var uniqueRounds = 0

    /// A change by its place in the request, with its stamp as it was sent, or the server's time.
    typealias Sent = (index: Int, change: Change, stamp: Stamp)

    /// What a push is run for.
    enum Purpose {
        case commit
        /// To see only how it would go.
        case trial
        /// To see only which records PostgreSQL does not take.
        case isolation
    }

    /// Changes that cannot be, as the whole push shows.
    struct Refusal {
        /// By place in the request.
        var rejections: [Int: Rejection] = [:]
        /// What a fault of ours keeps from being merged, by place in the request.
        var held: [Int: QuarantineReason] = [:]

        var isEmpty: Bool { rejections.isEmpty && held.isEmpty }
    }

    struct Outcome: Sendable {
        /// By place in the request; `nil` for what did not get here.
        var verdicts: [Verdict?]
        /// What counts instead of stamps that were too far ahead, by place in the request.
        var stamps: [Int: Stamp] = [:]
        /// The space's head before and after.
        var headBefore: Int64
        var head: Int64
        let epoch: ID
        /// The mark of the space's era.
        let era: Int64?
        /// Whether the device holds already all that the push changed.
        var needsNoEcho = true
    }

    /// How many of its changes create a record, if all of them are news.
    var createdCount: Int { changes.count { $0.change.operation == .create } }

    /// A record as the device has read it and may repeat it; `nil` where it has not. Nobody reads what is dead.
    func read(_ entry: WorkingSet.Entry) -> RecordState? {
        if repeatsNothing { return nil }
        return entry.before.flatMap { $0.isAlive && reading.holds($0) ? $0 : nil }
    }

    /// Whose stamps are remembered; those of all callers without a device are together.
    var clampedDevice: ID { device ?? ID(high: 0, low: 0) }
}
