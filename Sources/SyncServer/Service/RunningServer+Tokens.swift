import SyncEngine

extension RunningServer {
    /// Writes down which tokens are in use, until the task is cancelled. What fails is logged.
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

    /// Writes down which tokens are in use.
    ///
    /// - Returns: of how many it was written.
    @discardableResult
    func noteTokenUses() async throws -> Int64 {
        try await authenticator.noteUses()
    }
}
