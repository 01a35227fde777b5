internal import Glibc
internal import Synchronization

/// One thread that runs one daemon: every callback of the daemon's connections comes from it.
///
/// The loop is ours, although libmicrohttpd could run its own: its own waits a second time, with the full timeout, when
/// exactly 128 sockets are ready at once (0.9.75, MHD_epoll), and all of them hang until something else happens.
final class EventLoop: Sendable {
    let server: HTTPServer
    let waker = Waker()
    let jobs = Mutex(Jobs())
    /// The one that `run()` runs on.
    let thread = Atomic<pthread_t>(0)
    private let daemon: Mutex<Daemon?> = Mutex(nil)
    private let stage = Atomic(Stage.running.rawValue)

    private enum Stage: Int {
        case running
        /// Accepts no more.
        case quiescing
        /// Closes what is open.
        case stopping
    }

    /// - Throws: the `errno` of a daemon that does not start.
    init(server: HTTPServer, listener: ListeningSocket) throws(HTTPServerError) {
        self.server = server
        let raw = startDaemon(on: listener)
        guard let raw else { throw listener.error(errno) }
        daemon.withLock { $0 = Daemon(taking: raw) }
    }

    /// Makes the loop look at its daemon, after a connection was resumed.
    func wake() {
        waker.signal()
    }

    func quiesce() {
        enter(.quiescing)
    }

    /// Ends `run()`. No connection may be suspended any more.
    func stop() {
        enter(.stopping)
    }

    private func enter(_ stage: Stage) {
        self.stage.store(stage.rawValue, ordering: .sequentiallyConsistent)
        waker.signal()
    }

    /// The thread's body: returns after `stop()`, with every connection closed.
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
            // Without time to wait, the daemon looks at its sockets itself.
            let timeout = hasJobs ? 0 : daemon.timeoutMilliseconds
            if timeout != 0, waker.fallAsleep() { poll(&entries, nfds_t(entries.count), timeout) }
            // Before waking up, so that the daemon sees in this turn which connections they resume.
            runJobs()
            waker.wakeUp(isReadable: entries[1].revents != 0)
            let stage = stage.load(ordering: .sequentiallyConsistent)
            if accepts && stage != Stage.running.rawValue {
                daemon.quiesce()
                accepts = false
            }
            daemon.run()
            if stage == Stage.stopping.rawValue { return endJobs() }
            // What has just arrived.
            runJobs()
        }
    }

    /// MHD_OPTION_SIGPIPE_HANDLED_BY_APP: a write to a closed connection is an error, not the end of the process.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
