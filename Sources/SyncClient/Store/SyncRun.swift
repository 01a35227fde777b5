/// The progress of one sync, which consists of many requests. After an answer with progress, the next request may
/// follow at once. Too many answers without progress end the sync with an error. Otherwise requests could follow one
/// another without end, and drain a battery.
struct SyncRun {
    private(set) var summary = SyncSummary()
    private var answers = 0
    /// Hashes of the cursors in this sync's requests. If the server pages correctly, no cursor comes twice.
    private var cursors: Set<Int> = []
    private var emptyAnswers = 0
    private var refusals = 0
    private var restarts = 0
    private var tokens = 0

    /// The maximum number of answers in one sync, which ends with an error if there are more. The largest space, of 8
    /// GiB, has 8,192 pages, each of which takes one answer.
    static let answersMax = 20_000
    /// The maximum number of pages in a row that contain no record. Such pages are normal after the device has pushed
    /// many records, because the server does not send these back. It skips up to a thousand of them for each page.
    static let emptyAnswersMax = 256
    /// The maximum number of refusals in a row after which another request is sent at once. A normal sync stays below
    /// it. A push that is refused as too large is halved at most ten times, and an offer of records to a restored
    /// server at most eight times.
    static let refusalsMax = 32
    /// The maximum number of times that one sync reads anew because the server rejects the device's cursor. If the
    /// server rejects even a cursor that it has just sent, a further attempt is useless.
    static let restartsMax = 1
    /// The maximum number of new tokens that are tried in a row after the server has refused a token.
    static let tokensMax = 2

    /// Records the progress that an answer to a request has made.
    ///
    /// - Parameter cursor: the store's cursor after the answer.
    /// - Throws: `SyncFailure` if too many answers have made no progress.
    mutating func take(_ progress: SyncProgress, of request: SyncRequest, cursor: String?) throws {
        summary.add(
            SyncSummary(
                sent: progress.sent, received: progress.received, conflicts: progress.conflicts,
                isComplete: !progress.hasMore))
        (refusals, tokens) = (0, 0)
        // Offers do not go on forever, because each record is offered once.
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

    /// Counts a refusal by the server, after which another request is sent at once.
    ///
    /// - Parameter isRestart: true if the server no longer accepts the cursor, so that reading begins anew.
    /// - Throws: `SyncFailure` if there were too many refusals in a row, or too many restarts in this sync.
    mutating func takeRefusal(isRestart: Bool) throws {
        refusals += 1
        if isRestart { restarts += 1 }
        if restarts > SyncRun.restartsMax { try stall("reading is to begin anew, again and again") }
        if refusals > SyncRun.refusalsMax { try stall("all that is sent is refused") }
    }

    /// Counts a token that the server has refused. Throws `SyncFailure` after too many in a row.
    mutating func takeRefusedToken() throws {
        tokens += 1
        if tokens > SyncRun.tokensMax { try stall("each new token is refused") }
    }

    private func stall(_ what: String) throws(SyncFailure) { throw .unexpectedAnswer(what) }
}
