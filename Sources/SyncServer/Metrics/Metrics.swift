import SyncEngine
import Synchronization

/// The server's counters since its start, for `/metrics`.
///
/// Names come from the server, never from a request: operations from `RouteTable`, statuses that the server returns,
/// apps and versions that it serves. So the number of series is bounded, whatever clients send.
final class Metrics: Sendable {
    private let state = Mutex(Counts())

    struct Counts {
        var requests: [Request: Int] = [:]
        /// The durations of requests, by operation.
        var durations: [String: Histogram] = [:]
        var versions: [Version: Int] = [:]
        var verdicts: [CountedVerdict: Int] = [:]
        /// The number of records and deletions that pulls have returned, by app.
        var pulled: [String: Int] = [:]
        /// The number of old items (such as tombstones) that the collection has removed, by app and kind.
        var collected: [Collected: Int] = [:]
        /// The time of the last collection of old items; `nil` if there was none since the start.
        var collectedAt: ContinuousClock.Instant?
    }

    struct Collected: Hashable, Comparable {
        let app: String
        let what: String

        static func < (one: Collected, other: Collected) -> Bool { (one.app, one.what) < (other.app, other.what) }
    }

    struct Request: Hashable, Comparable {
        let operation: String
        let status: Int

        static func < (one: Request, other: Request) -> Bool {
            (one.operation, one.status) < (other.operation, other.status)
        }
    }

    struct Version: Hashable, Comparable {
        let app: String
        let version: String

        static func < (one: Version, other: Version) -> Bool { (one.app, one.version) < (other.app, other.version) }
    }

    struct CountedVerdict: Hashable, Comparable {
        let app: String
        let verdict: String

        static func < (one: CountedVerdict, other: CountedVerdict) -> Bool {
            (one.app, one.verdict) < (other.app, other.verdict)
        }
    }

    /// A histogram of durations.
    struct Histogram {
        /// The upper bounds in seconds: from the duration of a small pull to a duration that no client waits for.
        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

        /// The number of durations in each bucket, in the order of `bounds`; longer durations are only in `count`.
        private(set) var within = [Int](repeating: 0, count: bounds.count)
        private(set) var count = 0
        private(set) var sum = 0.0

        mutating func note(_ seconds: Double) {
            count += 1
            sum += seconds
            if let index = Histogram.bounds.firstIndex(where: { seconds <= $0 }) { within[index] += 1 }
        }
    }

    var counts: Counts { state.withLock { $0 } }

    /// The operation name of a request without a route.
    static let unrouted = "none"

    func note(_ operation: String, status: Int, after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        state.withLock { counts in
            counts.requests[Request(operation: operation, status: status), default: 0] += 1
            counts.durations[operation, default: Histogram()].note(Double(seconds) + Double(attoseconds) * 1e-18)
        }
    }

    func note(version: String, of app: String) {
        state.withLock { $0.versions[Version(app: app, version: version), default: 0] += 1 }
    }

    func note(verdicts: [Verdict], of app: String) {
        var found: [String: Int] = [:]
        for verdict in verdicts { found[verdict.name, default: 0] += 1 }
        state.withLock { counts in
            for (name, count) in found { counts.verdicts[CountedVerdict(app: app, verdict: name), default: 0] += count }
        }
    }

    func note(_ reports: [Collector.Report]) {
        state.withLock { counts in
            counts.collectedAt = .now
            for report in reports {
                for (what, count) in [
                    ("tombstones", report.tombstones), ("cleared", report.cleared), ("increments", report.increments),
                    ("judged", report.judged), ("clamps", report.clamps), ("devices", report.devices),
                ] {
                    counts.collected[Collected(app: report.app, what: what), default: 0] += count
                }
            }
        }
    }

    func note(pulled: Int, of app: String) {
        if pulled > 0 { state.withLock { $0.pulled[app, default: 0] += pulled } }
    }
}
