import Dispatch
package import Testing

/// A trait that runs a test, or each test of a suite, on a thread of its own. It is for tests that compute for seconds
/// without suspending. Swift's cooperative pool has only as many threads as the machine has cores. So on two cores, two
/// such tests would block all others, and these would exceed their time limits.
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

/// An executor that runs tasks on a serial queue. The queue uses a thread of its own while it has work.
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
