import SyncEngine

extension RunningServer {
    /// Writes periodically which tokens are in use, until the task is cancelled. Failures are logged.
    package func keepTokenUses() async {
        let outage = Outage(
            log, failing: "noting which tokens are used failed", working: "which tokens are used is noted again")
        while (try? await Task.sleep(for: TokenUses.writeInterval)) != nil {
            do {
                try await noteTokenUses()
                outage.worked()
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
        }
    }

    /// Writes to the database which tokens are in use.
    ///
    /// - Returns: the number of tokens written.
    @discardableResult
    func noteTokenUses() async throws -> Int64 {
        try await authenticator.noteUses()
    }
}
