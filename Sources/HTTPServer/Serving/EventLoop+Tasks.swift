internal import Glibc
internal import Synchronization

// Short requests are answered where they arrived: a change of thread is two system calls and a wait. See
// docs/decisions/0015-answer-where-it-arrived.md.
extension EventLoop: TaskExecutor {
    /// The largest body, in bytes, that is processed on the loop: JSON of this size is read and checked in less than a
    /// millisecond.
    static let shortSizeMaxBytes = 64 * 1024

    /// The jobs of tasks that wait for the loop's thread.
    struct Jobs {
        var waiting: [UnownedJob] = []
        /// True after the loop has ended; tasks that outlive the loop go on elsewhere.
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
        // The loop's own thread checks for jobs before it falls asleep.
        if pthread_self() != thread.load(ordering: .relaxed) { waker.signal() }
    }

    /// True if jobs wait, so the loop must not fall asleep.
    var hasJobs: Bool { jobs.withLock { !$0.waiting.isEmpty } }

    /// Runs the jobs that wait now. Jobs that these add wait for the next turn, so that sockets get theirs.
    func runJobs() {
        let waiting = jobs.withLock { jobs in
            defer { jobs.waiting = [] }
            return jobs.waiting
        }
        for job in waiting { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs the remaining jobs, and leaves later jobs to threads of their own.
    func endJobs() {
        jobs.withLock { $0.isOver = true }
        runJobs()
    }
}
