import Glibc

/// A running PostgreSQL server, known by its process.
struct Postmaster: Sendable, Hashable {
    let processID: pid_t
    /// The data directory, with links followed.
    let data: String

    /// The server that runs in `data`, whoever started it. `nil` if `postmaster.pid` is absent, or left over
    /// from a crash: its number may belong to a stranger by now.
    static func running(in data: String) -> Postmaster? {
        guard let real = Files.real(data), let bytes = try? Files.contents(of: "\(real)/postmaster.pid"),
            let processID = pid_t(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        else { return nil }
        let postmaster = Postmaster(processID: processID, data: real)
        return postmaster.isAlive ? postmaster : nil
    }

    /// Before a start: takes the process number out of the lock files that a crash left.
    ///
    /// PostgreSQL refuses to start while any process has that number, be it a stranger's, or a zombie that
    /// nobody reaps (as in a container whose first process is no init). So they get a number that no process
    /// can have, and PostgreSQL goes on to its other check: whether sessions of the dead server still hold its
    /// shared memory.
    static func forgetCrashed(in directory: ClusterDirectory) throws(FileError) {
        guard running(in: directory.data) == nil else { return }
        for path in ["\(directory.data)/postmaster.pid", directory.socketLock] where Files.exists(path) {
            let rest = try Files.contents(of: path).drop { $0 != UInt8(ascii: "\n") }
            try Files.overwrite(path, with: Array(String(pid_t.max).utf8) + rest)
        }
    }

    /// Whether the process lives and is a server of this data directory: PostgreSQL works inside it.
    ///
    /// A child of ours that has ended is reaped here.
    var isAlive: Bool {
        _ = waitpid(processID, nil, WNOHANG)
        return Files.destination(ofLink: "/proc/\(processID)/cwd") == data
    }

    /// The manual, chapter 19.5 "Shutting Down the Server".
    enum Shutdown: Sendable {
        /// Ends sessions, writes everything out, stops.
        case fast
        /// Stops at once; the next start recovers.
        case immediate

        fileprivate var signal: Int32 {
            switch self {
            case .fast: SIGINT
            case .immediate: SIGQUIT
            }
        }
    }

    func tell(_ shutdown: Shutdown) {
        if isAlive { _ = kill(processID, shutdown.signal) }
    }
}
