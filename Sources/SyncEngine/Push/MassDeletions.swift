import PGStore
import Postgres
import WireFormats

/// Refuses deletions if a device deletes a large share of a space without stating that it intends to. It protects
/// against a device that has lost its store, and therefore reports all records as deleted.
///
/// Deletions are counted by space and device over time, with all records to which they cascade. So the limit also holds
/// for many small pushes, and for the deletion of one record on which all others depend. The count is in the database,
/// so that several servers share it.
package struct MassDeletions: Sendable {
    private let limits: Limits
    private let living: LivingCount

    /// The limits beyond which deletions count as a mass deletion.
    package struct Limits: Sendable {
        /// The share of a space's living records that a device may delete at a time, in percent.
        package let shareMaxPercent: Int
        /// The default share, 50 percent. Half of all records is more than a person clears away at a time.
        package static let shareDefaultPercent = 50

        package init(shareMaxPercent: Int = shareDefaultPercent) {
            self.shareMaxPercent = shareMaxPercent
        }
    }

    /// The least number of deletions that can be refused, 20. Fewer are always accepted, because a user may empty a
    /// small space by hand.
    static let countMin = 20

    /// The time in milliseconds after which one of the counted deletions no longer counts, 3 s.
    ///
    /// A person who deletes one record after another is not faster than that for long, and so is never stopped. A
    /// program that deletes no faster than a person is not stopped either.
    static let handMilliseconds: Int64 = 3_000

    /// The time in milliseconds after which a device's deletions no longer count, if it has deleted nothing since: one
    /// hour.
    static let forgottenAfterMilliseconds: Int64 = 3_600_000

    init(_ limits: Limits, tables: [RecordTable]) {
        self.limits = limits
        living = LivingCount(tables)
    }

    /// True if any number of deletions is allowed.
    private var allowsAll: Bool { limits.shareMaxPercent >= 100 }

    /// Returns the command that reads how much the device of a push has deleted recently; `nil` if the push deletes
    /// nothing, or if any number of deletions is allowed.
    func recalling(_ push: Push, _ spaces: Spaces) -> Command? {
        guard !allowsAll, push.changes.contains(where: { $0.change.operation == .delete }) else { return nil }
        return spaces.recallingDeleted(by: push.deletingDevice, in: push.space)
    }

    /// Returns how many of a device's recent deletions still count at the time `now`, and the time from which this
    /// number decreases.
    ///
    /// - Parameter deleted: the stored count and its time; `nil` if none is stored.
    static func counted(_ deleted: Spaces.Deleted?, at now: Stamp) -> Spaces.Deleted {
        guard let deleted else { return Spaces.Deleted(count: 0, at: now) }
        let passed = max(0, now.milliseconds - deleted.at.milliseconds)
        let count = deleted.count - Int(passed / handMilliseconds)
        guard count > 0, passed < forgottenAfterMilliseconds else { return Spaces.Deleted(count: 0, at: now) }
        // The remainder of the time counts towards the next reduction.
        return Spaces.Deleted(
            count: count, at: Stamp(milliseconds: now.milliseconds - passed % handMilliseconds))
    }

    /// Checks the deletions that the push itself names, before any cascade.
    ///
    /// - Returns: a refusal of all these deletions; `nil` if they are within the limits.
    /// - Throws: `PGError`.
    func refusal(of context: PushContext, _ session: isolated Session) throws -> Push.Refusal? {
        let deletions = context.endingDeletions
        return try refusal(of: deletions, taking: deletions.count, ofWhichGone: 0, context, session)
    }

    /// Checks the deletions once more, together with all cascaded deletions, which are written by now.
    ///
    /// - Parameter elsewhere: the number of records that a cascade deleted and that the push does not name.
    /// - Returns: a refusal of all deletions that the push names; `nil` if they are within the limits.
    /// - Throws: `PGError`.
    func refusal(
        of context: PushContext, withElsewhere elsewhere: Int64, _ session: isolated Session
    ) throws -> Push.Refusal? {
        let deletions = context.endingDeletions
        let taken = deletions.count + context.deletedAlong + Int(elsewhere)
        if taken == deletions.count { return nil }
        return try refusal(of: deletions, taking: taken, ofWhichGone: taken, context, session)
    }

    private func refusal(
        of deletions: [Int], taking taken: Int, ofWhichGone gone: Int, _ context: PushContext,
        _ session: isolated Session
    ) throws -> Push.Refusal? {
        if deletions.isEmpty || allowsAll { return nil }
        let before = MassDeletions.counted(context.deleted, at: context.push.clampedTo).count
        let count = before + taken
        guard count >= MassDeletions.countMin else { return nil }
        // With this many living records before the deletions, the share is just allowed.
        let enough = (count * 100 + limits.shareMaxPercent - 1) / limits.shareMaxPercent
        let rest = max(1, enough - before - gone)
        let living = try session.execute(living.counting(in: context.space, upTo: rest)).number
        if living >= rest { return nil }
        let also = before > 0 ? ", \(before) of them in the last hour" : ""
        let rejection = Rejection(
            code: .massDeletion,
            detail: "With this the device deletes \(count) of the space's \(living + gone + before) records, with what "
                + "belongs to them\(also). If that is what the user did, send it with \"intent\": \"mass-deletion\"; "
                + "if the store was lost, pull without a cursor.")
        return Push.Refusal(rejections: Dictionary(uniqueKeysWithValues: deletions.map { ($0, rejection) }))
    }

    /// Returns the commands that store how much the push has deleted; empty if it has deleted nothing.
    fileprivate func remembering(_ context: PushContext) -> [Command] {
        let deletions = context.endingDeletions
        if deletions.isEmpty || allowsAll { return [] }
        let (push, now) = (context.push, context.push.clampedTo)
        let before = MassDeletions.counted(context.deleted, at: now)
        // A push that replaces records by others does not empty the space.
        let taken = deletions.count + context.deletedAlong + Int(context.deletedElsewhere) - context.createdRecords
        let count = before.count + max(0, taken)
        if count == 0, context.deleted == nil { return [] }
        let forgotten = Stamp(milliseconds: max(0, now.milliseconds - MassDeletions.forgottenAfterMilliseconds))
        return context.store.spaces.remembering(
            Spaces.Deleted(count: count, at: before.at), by: push.deletingDevice, forgettingBefore: forgotten,
            in: push.space)
    }
}

extension Push {
    /// The device under which the deletions of this push are counted. All callers without a device are counted as one.
    fileprivate var deletingDevice: ID { device ?? ID(high: 0, low: 0) }
}

extension PushContext {
    /// Adds the commands that store the number of deleted records to `writes`, for the limit on mass deletions.
    mutating func rememberDeletions() {
        writes += (push.massDeletions?.remembering(self) ?? []).map { Write(command: $0) }
    }

    /// The number of records in the working set that are alive now and were not alive before the push.
    fileprivate var createdRecords: Int { work.indices.count { !work[$0].wasAlive && work[$0].state.isAlive } }

    /// The number of records in the working set that were deleted by cascade.
    fileprivate var deletedAlong: Int {
        work.indices.count { work[$0].wasAlive && !work[$0].state.isAlive && work[$0].state.isAliveItself }
    }
}
