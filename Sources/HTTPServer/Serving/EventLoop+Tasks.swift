internal import Glibc
internal import Synchronization

// Short requests are answered where they arrived: a change of thread is two system calls and a wait. See
// docs/decisions/0015-answer-where-it-arrived.md.
extension EventLoop: TaskExecutor {
    /// Bodies up to here are dealt with on the loop: JSON of this size is read and checked in less than a millisecond.
    static let shortSizeMaxBytes = 64 * 1024

    /// What tasks wait to do on the loop's thread.
    struct Jobs {
        var waiting: [UnownedJob] = []
        /// The loop has ended; tasks that outlive it go on elsewhere.
        var isOver = false
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isTaken = jobs.withLock { jobs in
            if jobs.isOver { return false }
            jobs.waiting.append(job)
            return true
        }
        guard isTaken else {
            return Thread.start { job.runSynchronously(on: self.asUnownedTaskExecutor()) }.detach()
        }
        // The loop itself looks before it falls asleep.
        if pthread_self() != thread.load(ordering: .relaxed) { waker.signal() }
    }

    /// Whether the loop must not fall asleep.
    var hasJobs: Bool { jobs.withLock { !$0.waiting.isEmpty } }

    /// Runs what is waiting now; what that adds is for the next turn, so that sockets get theirs.
    func runJobs() {
        let waiting = jobs.withLock { jobs in
            defer { jobs.waiting = [] }
            return jobs.waiting
        }
        for job in waiting { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs what is left, and leaves later jobs to threads of their own.
    func endJobs() {
        jobs.withLock { $0.isOver = true }
        runJobs()
    }
}
