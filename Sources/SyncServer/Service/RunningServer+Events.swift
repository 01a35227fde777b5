extension RunningServer {
    /// Sends the new heads of changed spaces (the numbers of their latest changes) to the listening clients until the
    /// task is cancelled. Call this only once.
    ///
    /// - Parameter interval: the time between two searches for changes that were not announced; `nil` for the default.
    package func keepEvents(reviewing interval: Duration? = nil) async {
        await events.run(reviewing: interval ?? EventFeed.reviewInterval)
    }

    /// Reviews all listeners now: sends the heads that they have missed, and ends the streams that are no longer
    /// allowed.
    ///
    /// - Throws: `PGError`.
    package func reviewEvents() async throws {
        try await events.review()
    }
}
