import Dispatch
package import Testing

/// What a test or a suite of them does runs on a thread of its own: for what computes for seconds without a pause. The
/// cooperative pool has as many threads as cores, and on two cores two such tests stop everybody else, until what has a
/// time limit runs into it.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // Suites are scopes too, around the tests that are in them.
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(QueueExecutor(label: test.name)) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    package static var ownThread: OwnThread { OwnThread() }
}

/// A serial queue, which has a thread of its own while it has something to do.
private final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
