import SyncEngine

extension RunningServer {
    /// Writes the census's new sightings to the database, for all devices together.
    ///
    /// - Returns: the number of rows written.
    /// - Throws: `PGError`; the sightings are kept then, and written with the next flush.
    @discardableResult
    package func flushCensus() async throws -> Int {
        try await census.flush(on: pool, at: clock.time)
    }

    /// Writes the census periodically until the task is cancelled. Failures are logged.
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

    /// Writes the census for the last time. Sightings that are not written now are lost, and count against gates.
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
