import PGStore
import Postgres
import WireFormats

/// Merges and stores pushes inside a transaction, and ends it with COMMIT or ROLLBACK. Of the pushes of a transaction
/// all are stored, or none.
struct PushTransaction {
    let store: AppStore
    /// Called when only the end of the transaction is left: before COMMIT is sent, alone or together with the last
    /// writes.
    var committing: () -> Void = {}
    /// Returns the command that enters a space, so that row-level security shows the rows of this space only.
    var entering: (ID) -> Command = Spaces.entering

    /// Runs pushes into one space, one after the other. The transaction has already entered the space. The last writes
    /// of one push are sent together with the first queries of the next.
    ///
    /// - Returns: the outcome of each push, in the order of `pushes`.
    /// - Throws: `SyncError`, `PGError`; `WroteElsewhere`, if a row was not there that a push had read under the lock.
    func run(_ pushes: [Push], on session: isolated Session) throws -> [PushAttempt] {
        var outcomes: [Push.Outcome] = []
        var loading = Loading(pushes[0], store)
        var answers: [Rows]?
        for next in 1...pushes.count {
            var context = try loading.load(answers, session)
            if let stop = try runStages(on: &context, isShared: false, session) {
                try session.rollBack()
                // The push may have been refused because of another push, which is not stored now.
                return pushes.count == 1 ? [stop] : pushes.map { _ in .interrupted }
            }
            outcomes.append(context.outcome)
            if next == pushes.count {
                try context.finish(committing: committing, session)
            } else {
                loading = Loading(pushes[next], store)
                let writes = context.remainingWrites()
                let results = try session.pipeline(inParts: [writes.map(\.command), loading.commands])
                try PushContext.Write.check(writes, results[0])
                answers = results[1]
            }
        }
        return outcomes.map { .done($0) }
    }

    /// Runs several small pushes, each into another space, in one transaction. The transaction has already entered the
    /// space of the first push, so that row-level security shows its rows.
    ///
    /// The first reads of all pushes are sent together, and so are their last writes. In between, the pushes run one
    /// after the other, and each first enters its own space. The pushes must be sorted by space, so that transactions
    /// of several servers cannot wait for each other in a circle.
    ///
    /// - Returns: the outcome of each push, in the order of `pushes`.
    /// - Throws: `SyncError`, `PGError`; `WroteElsewhere`, if a row was not there that a push had read under the lock.
    func runAcrossSpaces(_ pushes: [Push], on session: isolated Session) throws -> [PushAttempt] {
        // Together the pushes read no more bytes than one push may.
        let loadings = pushes.map { Loading($0, store, bytesMax: SyncEngine.fetchedMaxBytes / pushes.count) }
        let answers = try session.pipeline(
            inParts: loadings.map(\.commands), entering: { $0 == 0 ? nil : entering(pushes[$0].space) })
        var contexts: [PushContext] = []
        for (index, loading) in loadings.enumerated() {
            session.precede(with: entering(pushes[index].space))
            var context = try loading.load(answers[index], session)
            if let stop = try runStages(on: &context, isShared: pushes.count > 1, session) {
                try session.rollBack()
                return pushes.indices.map { $0 == index ? stop : .interrupted }
            }
            contexts.append(context)
        }
        session.precede(with: nil)
        if let context = contexts.first, contexts.count == 1 {
            try context.finish(committing: committing, session)
        } else {
            try write(contexts, session)
            committing()
            try session.commitPipeline([])
        }
        return contexts.map { .done($0.outcome) }
    }

    /// Runs all stages of a push between its first reads and its last writes.
    ///
    /// - Parameter isShared: true if pushes into other spaces share the transaction.
    /// - Returns: `nil` if the push can go on; otherwise its outcome.
    private func runStages(
        on context: inout PushContext, isShared: Bool, _ session: isolated Session
    ) throws -> PushAttempt? {
        let push = context.push
        if let refusal = context.naming.refusal(of: push.changes) { return .refused(refusal) }
        try context.clamp(session)
        if let stop = try context.merge(session) { return stop }
        if let refusal = try push.massDeletions?.refusal(of: context, session) { return .refused(refusal) }
        try PushCascade(hub: store.hub, tables: store.tables, space: push.space).settle(&context.work, session)
        context.judgeVainChanges()
        context.number()
        if push.purpose == .isolation { return .isolated(try context.refusedRecords(session)) }
        if push.purpose == .commit { try push.quarantine.storeHeld(of: context, session) }
        if let stop = try context.write(isShared: isShared, session) { return stop }
        try context.checkQuota()
        context.rememberDeletions()
        return nil
    }

    /// Sends the remaining writes of several pushes.
    ///
    /// - Throws: `WroteElsewhere`, if a row was not there.
    private func write(_ contexts: [PushContext], _ session: isolated Session) throws {
        let writes = contexts.map { $0.remainingWrites() }
        let answers = try session.pipeline(
            inParts: writes.map { $0.map(\.command) }, entering: { entering(contexts[$0].space) })
        for (writes, results) in zip(writes, answers) { try PushContext.Write.check(writes, results) }
    }
}

/// The error that a statement did not find rows which its push had read under the space's lock.
struct WroteElsewhere: Error {}
