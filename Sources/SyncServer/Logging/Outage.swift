import SyncEngine
import Synchronization

/// Something that the server needs and may lose: says in the log when it fails, and once when it works again.
final class Outage: Sendable {
    private let log: Log
    private let failing: String
    private let working: String
    private let isKnown = Atomic<Bool>(false)
    private let began = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameters:
    ///   - failing: the line for each failure.
    ///   - working: the line when it is over.
    init(_ log: Log, failing: String, working: String) {
        (self.log, self.failing, self.working) = (log, failing, working)
    }

    /// Notes a failure.
    ///
    /// - Parameter isSaid: whether there is a line for it: who meets it at each request says so from time to time.
    func failed(_ error: any Error, _ facts: [String: LogFact] = [:], isSaid: Bool = true) {
        began.withLock { if $0 == nil { $0 = .now } }
        isKnown.store(true, ordering: .relaxed)
        if isSaid { log.error(failing, error, facts) }
    }

    /// Notes that it works. Costs nothing where it did before.
    func worked() {
        guard isKnown.load(ordering: .relaxed) else { return }
        isKnown.store(false, ordering: .relaxed)
        guard let since = began.withLock({ $0.take() }) else { return }
        log.info(working, ["failedFor": .milliseconds(.now - since)])
    }
}
