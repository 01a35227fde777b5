import SyncEngine
import Synchronization

/// The state of a service that the server depends on. Logs each failure, and logs once when the service works again.
final class Outage: Sendable {
    private let log: Log
    private let failing: String
    private let working: String
    private let isKnown = Atomic<Bool>(false)
    private let began = Mutex<ContinuousClock.Instant?>(nil)

    /// Creates the state of a service that has not failed yet.
    ///
    /// - Parameters:
    ///   - failing: the line for each failure.
    ///   - working: the line when the outage is over.
    init(_ log: Log, failing: String, working: String) {
        (self.log, self.failing, self.working) = (log, failing, working)
    }

    /// Records a failure of the service.
    ///
    /// - Parameter isSaid: true if the failure is to be logged. A caller that fails at each request logs only from time
    ///   to time.
    func failed(_ error: any Error, _ facts: [String: LogFact] = [:], isSaid: Bool = true) {
        began.withLock { if $0 == nil { $0 = .now } }
        isKnown.store(true, ordering: .relaxed)
        if isSaid { log.error(failing, error, facts) }
    }

    /// Notes that the service works. Costs nothing if it worked before.
    func worked() {
        guard isKnown.load(ordering: .relaxed) else { return }
        isKnown.store(false, ordering: .relaxed)
        guard let since = began.withLock({ $0.take() }) else { return }
        log.info(working, ["failedFor": .milliseconds(.now - since)])
    }
}
