import PGStore
import Postgres
import WireFormats

/// The result of running a push once. Unless it is `done`, nothing was stored.
enum PushAttempt: Sendable {
    /// The push is stored; a trial would be.
    case done(Push.Outcome)
    /// Some changes cannot be applied: run the push again without them.
    case refused(Push.Refusal)
    /// An optimistic insert failed, perhaps because the record exists: run the push again, looking for each record.
    case insertConflict
    /// PostgreSQL does not accept what the push would write.
    case untaken(PGError)
    /// The records that PostgreSQL does not accept, each with the error.
    case isolated([WorkingSet.Key: PGError])
    /// Another push of the same transaction failed: run this push again by itself.
    case interrupted
}

extension PushAttempt {
    /// Runs pushes into one space, one after the other, inside a transaction that has entered the space, and ends with
    /// COMMIT or ROLLBACK. All of them are stored, or none. The last writes of one push travel with the first queries
    /// of the next.
    ///
    /// - Parameter committing: called when only COMMIT is left to wait for.
    /// - Returns: the result of each push, in the order of `pushes`.
    /// - Throws: `SyncError`, `PGError`; `WroteElsewhere`.
    static func run(
        _ pushes: [Push], in store: AppStore, committing: () -> Void = {}, on session: isolated Session
    ) throws -> [PushAttempt] {
        var outcomes: [Push.Outcome] = []
        var loading = Loading(pushes[0], store)
        var answers: [Rows]?
        for next in 1...pushes.count {
            var context = try loading.load(answers, session)
            if let stop = try work(on: &context, Writing(), session) {
                try session.rollBack()
                // The push may have been refused because of another push, which is not stored now.
                return pushes.count == 1 ? [stop] : pushes.map { _ in .interrupted }
            }
            outcomes.append(context.outcome)
            if next == pushes.count {
                try Finishing().finish(context, committing: committing, session)
            } else {
                loading = Loading(pushes[next], store)
                let writes = Finishing().writes(of: context)
                let results = try session.pipeline([
                    (entering: nil, commands: writes.map(\.command)), (entering: nil, commands: loading.commands),
                ])
                try PushContext.Write.check(writes, results[0])
                answers = results[1]
            }
        }
        return outcomes.map { .done($0) }
    }

    /// Runs all stages between the first reads and the last writes, in this order.
    ///
    /// - Returns: `nil`, or the result if the push cannot go on.
    private static func work(
        on context: inout PushContext, _ writing: Writing, _ session: isolated Session
    ) throws -> PushAttempt? {
        let (push, store) = (context.push, context.store)
        if let refusal = context.naming.refusal(of: push.changes) { return .refused(refusal) }
        try Clamping().clamp(&context, session)
        if let stop = try Merging().merge(&context, session) { return stop }
        if let refusal = try push.massDeletions?.refusal(of: context, session) {
            return .refused(refusal)
        }
        try PushCascade(hub: store.hub, tables: store.tables, space: push.space).settle(&context.work, session)
        VainChanges().judge(&context)
        Numbering().number(&context)
        if push.purpose == .isolation { return .isolated(try Isolating(context).refusedRecords(session)) }
        if push.purpose == .commit { try push.quarantine.settle(context, session) }
        if let stop = try writing.write(&context, session) { return stop }
        context.growth = try Growing(quotas: store.quotas).grow(context)
        context.writes += (push.massDeletions?.remembering(context) ?? []).map { PushContext.Write(command: $0) }
        return nil
    }

    /// Runs small pushes, each into another space, inside a transaction that has entered the space of the first, and
    /// ends with COMMIT or ROLLBACK. All of them are stored, or none.
    ///
    /// The first reads of all pushes travel together, and so do their last writes. In between each push works by
    /// itself, behind row-level security of its own space: a command that enters the space precedes whatever is asked
    /// for the push. The pushes must be sorted by space, so that transactions of several servers cannot wait for each
    /// other in a circle.
    ///
    /// - Parameters:
    ///   - entering: returns the command that enters a space.
    ///   - committing: called when only COMMIT is left to wait for.
    /// - Returns: the result of each push, in the order of `pushes`.
    /// - Throws: `SyncError`, `PGError`; `WroteElsewhere`.
    static func runTogether(
        _ pushes: [Push], in store: AppStore, entering: (ID) -> Command = Spaces.entering,
        committing: () -> Void = {}, on session: isolated Session
    ) throws -> [PushAttempt] {
        // Together the pushes read no more bytes than one push may.
        let loadings = pushes.map { Loading($0, store, bytesMax: SyncEngine.fetchedMaxBytes / pushes.count) }
        let answers = try session.pipeline(
            loadings.indices.map { place in
                (entering: place == 0 ? nil : entering(pushes[place].space), commands: loadings[place].commands)
            })
        var contexts: [PushContext] = []
        for (place, loading) in loadings.enumerated() {
            session.precede(with: entering(pushes[place].space))
            var context = try loading.load(answers[place], session)
            if let stop = try work(on: &context, Writing(isShared: pushes.count > 1), session) {
                try session.rollBack()
                return pushes.indices.map { $0 == place ? stop : .interrupted }
            }
            contexts.append(context)
        }
        session.precede(with: nil)
        if let context = contexts.first, contexts.count == 1 {
            try Finishing().finish(context, committing: committing, session)
        } else {
            try write(contexts, entering, session)
            committing()
            try session.commitPipeline([])
        }
        return contexts.map { .done($0.outcome) }
    }

    /// Sends the remaining writes of several pushes.
    ///
    /// - Throws: `WroteElsewhere`, if a row was not there.
    private static func write(
        _ contexts: [PushContext], _ entering: (ID) -> Command, _ session: isolated Session
    ) throws {
        let writes = contexts.map { Finishing().writes(of: $0) }
        let parts = zip(contexts, writes).map { context, writes in
            (entering: Optional(entering(context.space)), commands: writes.map(\.command))
        }
        for (writes, results) in zip(writes, try session.pipeline(parts)) {
            try PushContext.Write.check(writes, results)
        }
    }
}

/// An error: a statement did not find the rows that its push has read under the lock.
struct WroteElsewhere: Error {}
