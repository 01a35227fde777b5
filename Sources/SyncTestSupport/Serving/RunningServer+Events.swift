package import SyncServer

extension RunningServer {
    /// Tells those who listen what moves, while `body` runs. It looks for what was lost when it is told to, or no test
    /// would show that anything is told without.
    package func keepingEvents<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.keepEvents(reviewing: .seconds(86_400)) }
            defer { group.cancelAll() }
            return try await body()
        }
    }
}
