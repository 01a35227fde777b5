import HTTPServer
import Postgres
import SyncEngine
import Synchronization

/// A queue of tokens that wait to be looked up, many at a time, by one session.
final class TokenLine: Sendable {
    /// A function that looks tokens up together, and returns the valid ones by their hashes.
    typealias Question = @Sendable (_ tokens: [AskedToken]) async throws -> [[UInt8]: TokenMemory.Valid]

    private let question: Question
    private let askedMax: Int
    private let rest: Duration
    private let restForEach: Duration
    private let state: Mutex<State>

    fileprivate typealias Waiter = CheckedContinuation<TokenMemory.Valid?, any Error>

    /// A request that waits for a look-up under way.
    fileprivate struct Waiting {
        let hash: [UInt8]
        let waiter: Waiter
        let network: String
    }

    fileprivate struct State {
        var unasked: [AskedToken] = []
        /// The requests that wait for a look-up that has not begun, by the hash of their token. Each queued token has
        /// an entry, even if no request waits for it.
        var waiters: [[UInt8]: [(waiter: Waiter, network: String)]] = [:]
        /// The hashes of the tokens that are being looked up now.
        var asked: Set<[UInt8]> = []
        var waiting: FairShare<String>
        var isAsking = false
        var questionCount = 0
    }

    /// The default maximum number of tokens in one question (a look-up of several tokens together): some milliseconds'
    /// work of the database.
    static let askedMax = 500
    /// The maximum number of requests that wait for a look-up. Each keeps a connection open. Two or three queries
    /// answer all of them, because each query is about many tokens.
    static let waitingMax = 1_000

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - waitingPerNetworkMax: the maximum number of waiting requests from one network.
    ///   - askedMax: the maximum number of tokens that are looked up together.
    ///   - rest: the pause after each look-up.
    ///   - restForEach: an additional pause after a look-up, for each token in it. The pause after a look-up of a few
    ///     tokens is therefore short.
    init(
        waitingPerNetworkMax: Int = TokenLine.waitingMax, askedMax: Int = TokenLine.askedMax, rest: Duration = .zero,
        restForEach: Duration = .zero, question: @escaping Question
    ) {
        self.question = question
        self.askedMax = askedMax
        self.rest = rest
        self.restForEach = restForEach
        state = Mutex(State(waiting: FairShare(limit: TokenLine.waitingMax, share: waitingPerNetworkMax)))
    }

    /// The number of waiting requests, and the number of questions (look-ups of several tokens together) asked so far.
    var counts: (waiting: Int, questions: Int) {
        state.withLock { ($0.waiting.taken, $0.questionCount) }
    }

    /// Looks a token up together with the other waiting tokens. The look-up begins after this call, so its result
    /// includes every change of rights that was committed before.
    ///
    /// - Returns: `nil` for a token that is not valid.
    /// - Throws: the error of the look-up; `PGError.poolOverloaded` if too many requests wait.
    func lookUp(_ token: AskedToken, from network: String) async throws -> TokenMemory.Valid? {
        try await withCheckedThrowingContinuation { waiter in
            let (isTaken, mustAsk) = state.withLock { state in
                if state.waiting.take(1, for: network) != nil { return (false, false) }
                let mustAsk = state.add(token)
                state.waiters[token.hash, default: []].append((waiter, network))
                return (true, mustAsk)
            }
            if !isTaken { waiter.resume(throwing: PGError.poolOverloaded) }
            if mustAsk { start() }
        }
    }

    /// Looks the token up again in the background, unless it is being looked up already.
    func refresh(_ token: AskedToken) {
        if state.withLock({ $0.asked.contains(token.hash) ? false : $0.add(token) }) { start() }
    }

    /// Starts the queries in a separate task. The first request may have its result while the task still works for
    /// later requests.
    private func start() {
        Task { await ask() }
    }

    private func ask() async {
        while true {
            let (asked, waiters) = state.withLock { $0.takeUnasked(askedMax) }
            if asked.isEmpty { return }
            let answer: Result<[[UInt8]: TokenMemory.Valid], any Error>
            do { answer = .success(try await question(asked)) } catch { answer = .failure(error) }
            state.withLock { state in
                state.asked = []
                for waiting in waiters { state.waiting.giveBack(1, for: waiting.network) }
            }
            for waiting in waiters { waiting.waiter.resume(with: answer.map { $0[waiting.hash] }) }
            let rest = rest + restForEach * asked.count
            if rest > .zero { try? await Task.sleep(for: rest) }
        }
    }
}

extension TokenLine.State {
    /// Adds a token to the queue, unless the queue already contains it.
    ///
    /// - Returns: true if no task is processing the queue, so that the caller must start one.
    fileprivate mutating func add(_ token: AskedToken) -> Bool {
        if waiters[token.hash] != nil { return false }
        waiters[token.hash] = []
        unasked.append(token)
        defer { isAsking = true }
        return !isAsking
    }

    /// Removes and returns the next tokens to look up, at most `most`, and the requests that wait for them. A request
    /// that arrives later waits for another look-up, because this one may miss a change of rights that the request's
    /// sender knows of. If no tokens are left, the task that processes the queue must end.
    fileprivate mutating func takeUnasked(_ most: Int) -> ([AskedToken], [TokenLine.Waiting]) {
        let taken = Array(unasked.prefix(most))
        unasked.removeFirst(taken.count)
        if taken.isEmpty { isAsking = false } else { questionCount += 1 }
        asked = Set(taken.map(\.hash))
        var requests: [TokenLine.Waiting] = []
        for token in taken {
            for (waiter, network) in waiters.removeValue(forKey: token.hash) ?? [] {
                requests.append(TokenLine.Waiting(hash: token.hash, waiter: waiter, network: network))
            }
        }
        return (taken, requests)
    }
}
