@testable import HTTPServer

/// Runs blocking work on a thread of its own, so that it cannot starve the server's tasks of the cooperative pool.
func offPool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.start { continuation.resume(with: Result { try work() }) }.detach()
    }
}
