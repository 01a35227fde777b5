import PGStore
import Postgres
import WireFormats

/// Refuses deletions by which a device deletes a large share of a space without saying that it means to: one whose
/// store was wiped, and which then compares it with what it had, is not a user who deletes.
///
/// Counted by space and device over time, with all that goes along, so that neither many small pushes nor one deletion
/// of what everything belongs to is a way around. The count is in the database: several servers have one.
package struct MassDeletions: Sendable {
    private let limits: Limits
    private let living: LivingCount

    /// What counts as one.
    package struct Limits: Sendable {
        /// The share of a space's living records that a device may delete at a time, in percent.
        package let shareMaxPercent: Int
        /// Half of everything is more than a person clears away at a time.
        package static let shareDefaultPercent = 50

        package init(shareMaxPercent: Int = shareDefaultPercent) {
            self.shareMaxPercent = shareMaxPercent
        }
    }

    /// Fewer deletions are never refused: a small space is emptied by hand.
    static let countMin = 20

    /// By hand, record after record, a person deletes one in this time at most, for longer than a moment. So much is
    /// taken off what counts: whoever deletes all day is never stopped, and a program that is no faster nobody could
    /// tell from that.
    static let handMilliseconds: Int64 = 3_000

    /// After this time without a deletion nothing of them counts any more, however much went.
    static let forgottenAfterMilliseconds: Int64 = 3_600_000

    init(_ limits: Limits, tables: [RecordTable]) {
        self.limits = limits
        living = LivingCount(tables)
    }

    /// True where any number is allowed.
    private var allowsAll: Bool { limits.shareMaxPercent >= 100 }

    /// Returns the command that reads how much a push's device has deleted of late; `nil` for a push that deletes
    /// nothing.
    func recalling(_ push: Push, _ spaces: Spaces) -> Command? {
        guard !allowsAll, push.changes.contains(where: { $0.change.operation == .delete }) else { return nil }
        return spaces.recallingDeleted(by: push.deletingDevice, in: push.space)
    }

    /// Tells how much still counts of what a device has deleted, and from when on it is counted down.
    static func counted(_ deleted: Spaces.Deleted?, at now: Stamp) -> Spaces.Deleted {
        guard let deleted else { return Spaces.Deleted(count: 0, at: now) }
        let passed = max(0, now.milliseconds - deleted.at.milliseconds)
        let count = deleted.count - Int(passed / handMilliseconds)
        guard count > 0, passed < forgottenAfterMilliseconds else { return Spaces.Deleted(count: 0, at: now) }
        // What is left of the time counts with the next.
        return Spaces.Deleted(
            count: count, at: Stamp(milliseconds: now.milliseconds - passed % handMilliseconds))
    }

    /// Looks at what a push deletes itself, before anything follows from it.
    ///
    /// - Returns: a refusal of all of its deletions; `nil` where they are not that many.
    /// - Throws: `PGError`.
    func refusal(of context: PushContext, _ session: isolated Session) throws -> Push.Refusal? {
        let deletions = context.endedLives
        return try refusal(of: deletions, taking: deletions.count, ofWhichGone: 0, context, session)
    }

    /// Looks at it once more with all that went along, which is written by now.
    ///
    /// - Parameter elsewhere: how many records died that the push does not name.
    /// - Returns: the same.
    /// - Throws: `PGError`.
    func refusal(
        of context: PushContext, withElsewhere elsewhere: Int64, _ session: isolated Session
    ) throws -> Push.Refusal? {
        let deletions = context.endedLives
        let taken = deletions.count + context.diedAlong + Int(elsewhere)
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
        // With this many living records, before any of it, the share is just allowed.
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

    /// Remembers what the push has deleted; nothing, where it has deleted nothing.
    func remembering(_ context: PushContext) -> [Command] {
        let deletions = context.endedLives
        if deletions.isEmpty || allowsAll { return [] }
        let (push, now) = (context.push, context.push.clampedTo)
        let before = MassDeletions.counted(context.deleted, at: now)
        // What puts others in their place is no emptying.
        let taken = deletions.count + context.diedAlong + Int(context.diedElsewhere) - context.livesBegun
        let count = before.count + max(0, taken)
        if count == 0, context.deleted == nil { return [] }
        let forgotten = Stamp(milliseconds: max(0, now.milliseconds - MassDeletions.forgottenAfterMilliseconds))
        return context.store.spaces.remembering(
            Spaces.Deleted(count: count, at: before.at), by: push.deletingDevice, forgettingBefore: forgotten,
            in: push.space)
    }
}

extension Push {
    /// Whose deletions are counted together; those of all callers without a device are.
    fileprivate var deletingDevice: ID { device ?? ID(high: 0, low: 0) }
}

extension PushContext {
    /// The number of records that live and did not before.
    fileprivate var livesBegun: Int { work.indices.count { !work[$0].wasAlive && work[$0].state.isAlive } }

    /// The number of records that the push has in memory and that went with what it deletes.
    fileprivate var diedAlong: Int {
        work.indices.count { work[$0].wasAlive && !work[$0].state.isAlive && work[$0].state.isAliveItself }
    }
}
