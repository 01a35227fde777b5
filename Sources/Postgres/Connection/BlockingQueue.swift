import Dispatch

/// An executor for code that blocks, in libpq or elsewhere, such as a session's: a serial queue.
///
/// The cooperative pool has as many threads as cores, so a call that waits for the server there would stop unrelated
/// work. A serial queue gets a thread of its own while it has something to do.
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
