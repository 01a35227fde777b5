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
        repeat {
            do {
                try await flushCensus()
            } catch {
                if Task.isCancelled { return }
                note(error)
            }
        } while (try? await Task.sleep(for: Census.flushInterval)) != nil
    }

    /// At the end: what is not written now is lost.
    func flushLastCensus() async {
        do {
            try await flushCensus()
        } catch {
            note(error)
        }
    }

    private func note(_ error: any Error) {
        log.error("writing the census failed", error, ["devices": "\(census.counts.due)"])
    }
}
