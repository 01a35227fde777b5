/// What came of one run of syncing so far. Notices when answers lead nowhere, so that it ends with a pause, and is no
/// loop that empties a battery. Whatever moves a store on may go on without one.
struct SyncRun {
    private(set) var summary = SyncSummary()
    private var answers = 0
    /// Those of this run's requests, by their hashes: a walk meets none twice.
    private var cursors: Set<Int> = []
    private var emptyAnswers = 0
    private var refusals = 0
    private var restarts = 0
    private var tokens = 0

    /// The most answers to one run. A space of 8 GiB, which is the most that one holds, has 8,192 pages.
    static let answersMax = 20_000
    /// Pages in a row that bring nothing, such as those over what the device pushed itself: a thousand records each.
    static let emptyAnswersMax = 256
    /// Refusals in a row after which another request follows at once. A push is halved ten times at most, and offers
    /// eight times.
    static let refusalsMax = 32
    /// How often one run begins anew because its cursor is not good. Whoever takes it away twice has given none.
    static let restartsMax = 1
    /// How many new tokens are tried.
    static let tokensMax = 2

    /// Takes in an answer to a request.
    ///
    /// - Parameter cursor: what the store has now.
    /// - Throws: `SyncFailure` where it is one of too many that lead nowhere.
    mutating func take(_ progress: SyncProgress, of request: SyncRequest, cursor: String?) throws {
        summary.add(
            SyncSummary(
                sent: progress.sent, received: progress.received, conflicts: progress.conflicts,
                isComplete: !progress.hasMore))
        (refusals, tokens) = (0, 0)
        // What has been offered is offered once.
        guard progress.hasMore, request.kind != .offer else { return emptyAnswers = 0 }
        answers += 1
        if answers > SyncRun.answersMax { try stall("there is more than a space holds") }
        if let before = request.cursor { cursors.insert(before.hashValue) }
        let leadsBack = progress.isToBeRead && cursor.map { cursors.contains($0.hashValue) } ?? true
        if progress.sent > 0 || progress.received > 0 && !leadsBack { return emptyAnswers = 0 }
        if leadsBack { try stall("there is said to be more, again and again from the same cursor") }
        emptyAnswers += 1
        if emptyAnswers > SyncRun.emptyAnswersMax { try stall("there is said to be more, and nothing comes") }
    }

    /// Takes in a refusal after which another request is to follow at once.
    ///
    /// - Parameter isRestart: whether it took the cursor away.
    mutating func takeRefusal(isRestart: Bool) throws {
        refusals += 1
        if isRestart { restarts += 1 }
        if restarts > SyncRun.restartsMax { try stall("reading is to begin anew, again and again") }
        if refusals > SyncRun.refusalsMax { try stall("all that is sent is refused") }
    }

    /// Takes in that a token was refused and another is to be tried.
    mutating func takeRefusedToken() throws {
        tokens += 1
        if tokens > SyncRun.tokensMax { try stall("each new token is refused") }
    }

    private func stall(_ what: String) throws(SyncFailure) { throw .unexpectedAnswer(what) }
}
