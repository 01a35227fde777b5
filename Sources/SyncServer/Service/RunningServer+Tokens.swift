extension RunningServer {
    /// Writes down which tokens are in use, until the task is cancelled. What fails is logged.
    package func keepTokenUses() async {
        while (try? await Task.sleep(for: TokenUses.writeInterval)) != nil {
            do {
                try await noteTokenUses()
            } catch {
                if Task.isCancelled { return }
                log.error("noting which tokens are used failed", error)
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
