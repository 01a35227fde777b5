import BenchSupport
import Foundation
import Synchronization

/// The work that a number of clients repeat.
struct Workload: Sendable {
    /// The title of the row in the table.
    let title: String
    let side: Side
    let unit: String
    let clients: Int
    /// Creates the client with this number, on its own thread: a step that returns the number of units that it did.
    let client: @Sendable (Int) throws -> () throws -> Int

    /// The column of the table: one of two versions, or the database without a server.
    enum Side: String, CaseIterable {
        case older
        case newer
        case sql
    }

    struct ID: Hashable {
        let title: String
        let side: Side
    }

    var id: ID { ID(title: title, side: side) }

    struct Result {
        /// The rate of all clients together, in units per second.
        let rate: Double
        /// The median duration of a step, in seconds.
        let medianLatency: Double
        let latency99: Double
    }

    /// Runs the clients, each on a thread of its own, and lets each finish the step during which the time ends.
    func measured(for seconds: Double) throws -> Result {
        let outcomes = Mutex<[Swift.Result<Outcome, any Error>]>([])
        let ready = DispatchGroup()
        let done = DispatchGroup()
        let gate = DispatchSemaphore(value: 0)
        for number in 0..<clients {
            ready.enter()
            done.enter()
            let thread = Thread {
                let outcome = Swift.Result { try run(number, seconds, ready: ready, gate: gate) }
                outcomes.withLock { $0.append(outcome) }
                done.leave()
            }
            thread.start()
        }
        ready.wait()
        for _ in 0..<clients { gate.signal() }
        done.wait()
        let all = try outcomes.withLock { try $0.map { try $0.get() } }
        let latencies = all.flatMap(\.latencies).sorted()
        let span = all.map(\.end).max()! - all.map(\.start).min()!
        return Result(
            rate: Double(all.reduce(0) { $0 + $1.units }) / span, medianLatency: latencies[latencies.count / 2],
            latency99: latencies[latencies.count * 99 / 100])
    }

    private struct Outcome {
        var units = 0
        var latencies: [Double] = []
        let start: Double
        var end: Double
    }

    private func run(_ number: Int, _ seconds: Double, ready: DispatchGroup, gate: DispatchSemaphore) throws -> Outcome
    {
        // Even after an error, because the others must not wait for this client.
        let step: () throws -> Int
        do {
            defer { ready.leave() }
            step = try client(number)
        }
        gate.wait()
        let start = now()
        var outcome = Outcome(start: start, end: start)
        while outcome.end - start < seconds {
            let before = outcome.end
            outcome.units += try step()
            outcome.end = now()
            outcome.latencies.append(outcome.end - before)
        }
        return outcome
    }

    /// Returns the seconds of a monotonic clock.
    private func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
