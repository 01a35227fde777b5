import PGStore
import Postgres
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
    /// COMMIT or ROLLBACK. All are stored, or none. What one writes last travels with what the next asks first.
    ///
    /// - Parameter committing: told when there is only COMMIT left to wait for.
    /// - Returns: what each came to, in their order.
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
                // What it was refused for may have been another's that is not stored now.
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

    /// All between what is read and what is written last: stage after stage, top to bottom.
    ///
    /// - Returns: where the push cannot go on, what it came to.
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

    /// Runs small pushes into as many spaces, inside a transaction that has entered that of the first; ends with COMMIT
    /// or ROLLBACK. All are stored, or none.
    ///
    /// What each asks and writes first and last travels with the others'. In between each works by itself, behind its
    /// own wall: whatever is asked for a push is preceded by its space. Their order must be that of their spaces, so
    /// that transactions of several servers cannot wait for each other in a circle.
    ///
    /// - Parameters:
    ///   - entering: enters a space.
    ///   - committing: told when there is only COMMIT left to wait for.
    /// - Returns: what each came to, in their order.
    /// - Throws: `SyncError`, `PGError`; `WroteElsewhere`.
    static func runTogether(
        _ pushes: [Push], in store: AppStore, entering: (ID) -> Command = Spaces.entering,
        committing: () -> Void = {}, on session: isolated Session
    ) throws -> [PushAttempt] {
        // Together they read no more than one may.
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

    /// Writes what several pushes have left.
    ///
    /// - Throws: `WroteElsewhere` where a row was not there.
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

/// A statement did not find the rows that its push has read under the lock.
struct WroteElsewhere: Error {}
