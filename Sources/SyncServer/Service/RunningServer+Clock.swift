import Postgres
import SyncEngine
import WireFormats

extension RunningServer {
    /// Checks the database's clock periodically until the task is cancelled. Logs when it and this machine's clock no
    /// longer agree, and when they agree again.
    package func keepClock() async {
        guard let database = clock.database else { return }
        var known = database.disagreement?.kind
        let outage = Outage(
            log, failing: "reading the database's clock failed", working: "the database's clock is read again")
        while (try? await Task.sleep(for: DatabaseClock.interval)) != nil {
            do {
                let found = try await pool.withSession { session in try await database.measure(on: session) }
                outage.worked()
                if found?.kind != known { log.note(found) }
                known = found?.kind
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
        }
    }

    /// Returns the clock from which the server takes the time: `given` or, if that is `nil`, the database's clock.
    ///
    /// - Throws: `PGError`.
    static func started(
        _ given: HybridClock?, _ host: HostClock, _ pool: Pool, _ log: Log
    ) async throws -> HybridClock {
        if let given { return given }
        let clock = try await pool.withSession { session in try await DatabaseClock.start(host, on: session) }
        if let disagreement = clock.disagreement { log.note(disagreement) }
        return HybridClock(clock)
    }
}

extension Log {
    /// Logs a disagreement of the clocks as an error, with both times, because the operator must see it; `nil` stands
    /// for the end of the disagreement.
    fileprivate func note(_ disagreement: ClockDisagreement?) {
        guard let disagreement else { return info("the clocks agree again") }
        error(
            "a clock is wrong",
            [
                "host": "\(disagreement.host)", "database": "\(disagreement.database)",
                "expected": "\(disagreement.expected)", "meaning": "\(disagreement)",
            ])
    }
}
