package import SyncServer

extension RunningServer {
    /// Calls `body`, and lets the server notify listeners of changes meanwhile.
    ///
    /// The regular check of all spaces, which makes up for lost notifications, does not happen in that time. With it, a
    /// test could not show that notifications arrive by themselves.
    package func keepingEvents<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.keepEvents(reviewing: .seconds(86_400)) }
            defer { group.cancelAll() }
            return try await body()
        }
    }
}
