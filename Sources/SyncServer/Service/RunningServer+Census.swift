import SyncEngine

extension RunningServer {
    /// Writes the census's new entries (devices, and the versions that they use) to the database, for all devices
    /// together.
    ///
    /// - Returns: the number of rows written.
    /// - Throws: `PGError`; the entries are then kept in memory, and written with the next flush.
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

    /// Writes the census for the last time before the server stops. Entries that cannot be written now are lost.
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
