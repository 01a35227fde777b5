import Dispatch

/// A serial executor for code that blocks a thread, such as libpq's calls for a session.
///
/// Swift's cooperative pool has as many threads as there are cores, so a blocking call in it would stop unrelated work.
/// This executor's queue gets a thread of its own while it has work to do.
package final class BlockingQueue: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
