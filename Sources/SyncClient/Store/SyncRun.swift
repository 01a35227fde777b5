/// The result so far of one run of syncing. Detects answers that make no progress, so that a run ends with a pause, and
/// no loop empties a battery. Every answer that brings the store forward may be followed by another request at once.
struct SyncRun {
    private(set) var summary = SyncSummary()
    private var answers = 0
    /// Hashes of the cursors that this run's requests had. Paging never meets the same cursor twice.
    private var cursors: Set<Int> = []
    private var emptyAnswers = 0
    private var refusals = 0
    private var restarts = 0
    private var tokens = 0

    /// The most answers in one run. A space of 8 GiB, which is the largest size, has 8,192 pages.
    static let answersMax = 20_000
    /// The most pages in a row that bring nothing, such as pages of records that the device pushed itself: a thousand
    /// records each.
    static let emptyAnswersMax = 256
    /// The most refusals in a row after which another request follows at once. A push is halved at most ten times, and
    /// an offer eight times.
    static let refusalsMax = 32
    /// The most times that one run begins anew because its cursor is not valid. A server that takes a cursor away twice
    /// has given none.
    static let restartsMax = 1
    /// The most new tokens that one run tries.
    static let tokensMax = 2

    /// Adds an answer to a request.
    ///
    /// - Parameter cursor: the store's cursor after the answer.
    /// - Throws: `SyncFailure` if too many answers have made no progress.
    mutating func take(_ progress: SyncProgress, of request: SyncRequest, cursor: String?) throws {
        summary.add(
            SyncSummary(
                sent: progress.sent, received: progress.received, conflicts: progress.conflicts,
                isComplete: !progress.hasMore))
        (refusals, tokens) = (0, 0)
        // An offer is made once.
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

    /// Adds a refusal after which another request is to follow at once.
    ///
    /// - Parameter isRestart: true if the refusal took the cursor away.
    mutating func takeRefusal(isRestart: Bool) throws {
        refusals += 1
        if isRestart { restarts += 1 }
        if restarts > SyncRun.restartsMax { try stall("reading is to begin anew, again and again") }
        if refusals > SyncRun.refusalsMax { try stall("all that is sent is refused") }
    }

    /// Adds a refusal of a token after which another token is to be tried.
    mutating func takeRefusedToken() throws {
        tokens += 1
        if tokens > SyncRun.tokensMax { try stall("each new token is refused") }
    }

    private func stall(_ what: String) throws(SyncFailure) { throw .unexpectedAnswer(what) }
}
