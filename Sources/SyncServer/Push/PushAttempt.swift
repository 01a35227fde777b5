import PGStore
import WireFormats

/// What running a push once came to. Where it is not `done`, nothing was stored.
enum PushAttempt: Sendable {
    /// It is stored; of a trial, it would be.
    case done(Push.Outcome)
    /// Some of its changes cannot be applied: run it again without them.
    case refused(Push.Refusal)
    /// An optimistic insert failed, perhaps because the record exists: run the push again, looking for each record.
    case insertConflict
    /// PostgreSQL does not take what it would write.
    case untaken(PGError)
    /// Which records PostgreSQL does not take, and what it says of each.
    case isolated([WorkingSet.Key: PGError])
    /// Another push of its transaction failed: run it again by itself.
    case interrupted
}

extension PushAttempt {
    /// Runs pushes into one space, one after the other, inside a transaction that has entered the space; ends with
    /// COMMIT or ROLLBACK. All are stored, or none.
    ///
    /// - Returns: what each came to, in their order.
    /// - Throws: `SyncError`, `PGError`.
    static func run(_ pushes: [Push], in store: AppStore, on session: isolated Session) throws -> [PushAttempt] {
        var attempts: [PushAttempt] = []
        for (place, push) in pushes.enumerated() {
            let attempt = try run(push, isLast: place == pushes.count - 1, in: store, on: session)
            attempts.append(attempt)
            if case .done = attempt, push.purpose == .commit { continue }
            try session.rollBack()
            // What it was refused for may have been another's that is not stored now.
            return pushes.count == 1 ? attempts : pushes.map { _ in .interrupted }
        }
        return attempts
    }

    /// The way of a push, from locking the space to the statements that end it: stage after stage, top to bottom.
    private static func run(
        _ push: Push, isLast: Bool, in store: AppStore, on session: isolated Session
    ) throws -> PushAttempt {
        var context = try Loading(push: push, store: store).load(session)
        if let refusal = context.naming.refusal(of: push.changes) { return .refused(refusal) }
        try Clamping().clamp(&context, session)
        if let stop = try Merging().merge(&context, session) { return stop }
        if let refusal = try push.massDeletions?.refusal(of: context.endedLives, in: push.space, session) {
            return .refused(refusal)
        }
        try PushCascade(hub: store.hub, tables: store.tables, space: push.space).settle(&context.work, session)
        VainChanges().judge(&context)
        Numbering().number(&context)
        if push.purpose == .isolation { return .isolated(try Isolating(context).refusedRecords(session)) }
        if push.purpose == .commit { try push.quarantine.settle(context, session) }
        if let stop = try Writing().write(&context, session) { return stop }
        context.growth = try Growing(quotas: store.quotas).grow(context)
        try Finishing(isLast: isLast).finish(context, session)
        return .done(context.outcome)
    }
}
