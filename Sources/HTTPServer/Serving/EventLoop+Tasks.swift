internal import Glibc
internal import Synchronization

// Short requests are answered where they arrived: a change of thread is two system calls and a wait. See
// docs/decisions/0015-answer-where-it-arrived.md.
extension EventLoop: TaskExecutor {
    /// The largest body, in bytes, whose request is processed on the loop's thread. JSON of this size is parsed and
    /// checked in less than a millisecond.
    static let shortSizeMaxBytes = 64 * 1024

    /// The jobs (parts of Swift tasks) that wait until the loop's thread runs them.
    struct Jobs {
        var waiting: [UnownedJob] = []
        /// True after the loop has ended. Jobs that are added later run on threads of their own.
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

    /// True if jobs wait. The loop must then not wait for events of its sockets.
    var hasJobs: Bool { jobs.withLock { !$0.waiting.isEmpty } }

    /// Runs the jobs that wait now. Jobs that are added meanwhile wait for the next iteration of the loop, so that
    /// sockets are served in between.
    func runJobs() {
        let waiting = jobs.withLock { jobs in
            defer { jobs.waiting = [] }
            return jobs.waiting
        }
        for job in waiting { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs the jobs that still wait when the loop ends. Jobs that are added later run on threads of their own.
    func endJobs() {
        jobs.withLock { $0.isOver = true }
        runJobs()
    }
}
