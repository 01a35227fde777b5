import SyncEngine

extension RunningServer {
    /// Writes what the census has seen, for all devices together.
    ///
    /// - Returns: how many rows were written.
    /// - Throws: `PGError`; it is kept then, and tried again with the next.
    @discardableResult
    package func flushCensus() async throws -> Int {
        try await census.flush(on: pool, at: clock.time)
    }

    /// Writes the census again and again until the task is cancelled. What fails is logged.
    package func keepCensus() async {
        let outage = Outage(log, failing: RunningServer.censusFailing, working: "the census is written again")
        repeat {
            do {
                try await flushCensus()
                outage.worked()
            } catch {
                if Task.isCancelled { return }
                outage.failed(error, dueDevices)
            }
        } while (try? await Task.sleep(for: Census.flushInterval)) != nil
    }

    /// At the end: what is not written now is lost, and counts against gates.
    func flushLastCensus() async {
        do {
            try await flushCensus()
            try await census.end(on: pool)
        } catch {
            log.error(RunningServer.censusFailing, error, dueDevices)
        }
    }

    private static let censusFailing = "writing the census failed"

    private var dueDevices: [String: LogFact] { ["devices": .count(census.counts.due)] }
}
