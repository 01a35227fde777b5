package import SyncServer

extension RunningServer {
    /// Lets the server notify listeners of changes while `body` runs. The server reviews the spaces for lost
    /// notifications only when a test asks for it. Otherwise no test could show that notifications arrive without a
    /// review.
    package func keepingEvents<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.keepEvents(reviewing: .seconds(86_400)) }
            defer { group.cancelAll() }
            return try await body()
        }
    }
}
