internal import Glibc
internal import Synchronization

/// One thread that runs one libmicrohttpd daemon: all callbacks for the daemon's connections come from this thread.
///
/// The loop is this target's own, although libmicrohttpd has one. libmicrohttpd's loop waits a second time, with the
/// full timeout, when exactly 128 sockets are ready at once (0.9.75, MHD_epoll); all of them then hang until another
/// event occurs.
final class EventLoop: Sendable {
    let server: HTTPServer
    let waker = Waker()
    let jobs = Mutex(Jobs())
    /// The thread that `run()` runs on.
    let thread = Atomic<pthread_t>(0)
    private let daemon: Mutex<Daemon?> = Mutex(nil)
    private let stage = Atomic(Stage.running.rawValue)

    private enum Stage: Int {
        case running
        /// Accepts no more connections.
        case quiescing
        /// Closes all open connections.
        case stopping
    }

    /// Creates the loop and starts its daemon.
    ///
    /// - Throws: an error with the `errno` if the daemon does not start.
    init(server: HTTPServer, listener: ListeningSocket) throws(HTTPServerError) {
        self.server = server
        let raw = startDaemon(on: listener)
        guard let raw else { throw listener.error(errno) }
        daemon.withLock { $0 = Daemon(taking: raw) }
    }

    /// Wakes the loop, so that its daemon runs after a connection was resumed.
    func wake() {
        waker.signal()
    }

    func quiesce() {
        enter(.quiescing)
    }

    /// Makes `run()` return. Call this only when no connection is suspended any more.
    func stop() {
        enter(.stopping)
    }

    private func enter(_ stage: Stage) {
        self.stage.store(stage.rawValue, ordering: .sequentiallyConsistent)
        waker.signal()
    }

    /// Runs the thread's loop. Returns after `stop()`, once every connection is closed.
    func run() {
        guard let daemon = daemon.withLock({ $0.take() }) else { preconditionFailure("an event loop runs once") }
        Self.blockBrokenPipeSignal()
        thread.store(pthread_self(), ordering: .relaxed)
        var accepts = true
        var entries = [daemon.descriptor, waker.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while true {
            entries[1].revents = 0
            // With a timeout of 0, the daemon checks its sockets itself.
            let timeout = hasJobs ? 0 : daemon.timeoutMilliseconds
            if timeout != 0, waker.fallAsleep() { poll(&entries, nfds_t(entries.count), timeout) }
            // Jobs run before the wake-up, so that the daemon sees in this turn the connections that the jobs resume.
            runJobs()
            waker.wakeUp(isReadable: entries[1].revents != 0)
            let stage = stage.load(ordering: .sequentiallyConsistent)
            if accepts && stage != Stage.running.rawValue {
                daemon.quiesce()
                accepts = false
            }
            daemon.run()
            if stage == Stage.stopping.rawValue { return endJobs() }
            // Runs the jobs that the daemon's callbacks have just added.
            runJobs()
        }
    }

    /// Blocks SIGPIPE on this thread, so that a write to a closed connection is an error and not the end of the process
    /// (MHD_OPTION_SIGPIPE_HANDLED_BY_APP).
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
