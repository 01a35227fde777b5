extension RunningServer {
    /// Tells those who listen what moves, until the task is cancelled. Once.
    ///
    /// - Parameter interval: how often to look for what was lost; `nil` for as often as it should be.
    package func keepEvents(reviewing interval: Duration? = nil) async {
        await events.run(reviewing: interval ?? EventFeed.reviewInterval)
    }

    /// Asks the database at once what those who listen should have been told, and who may still listen.
    ///
    /// - Throws: `PGError`.
    package func reviewEvents() async throws {
        try await events.review()
    }
}
