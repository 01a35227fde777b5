import Glibc

/// A running PostgreSQL server, identified by its process.
struct Postmaster: Sendable, Hashable {
    let processID: pid_t
    /// The path of the data directory, with symbolic links resolved.
    let data: String

    /// Returns the server that runs in `data`, whichever process started it. Returns `nil` if there is no
    /// `postmaster.pid`, or if the file was left by a crash: the process ID in it may belong to another process by now.
    static func running(in data: String) -> Postmaster? {
        guard let real = Files.real(data), let bytes = try? Files.contents(of: "\(real)/postmaster.pid"),
            let processID = pid_t(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        else { return nil }
        let postmaster = Postmaster(processID: processID, data: real)
        return postmaster.isAlive ? postmaster : nil
    }

    /// Replaces the process ID in the lock files of a crashed server, so that the server can start again.
    ///
    /// PostgreSQL refuses to start while any process has the ID that these files contain. This may be an unrelated
    /// process, or a zombie that no parent reaps (as in a container whose first process is no init). The new ID is one
    /// that no process can have. PostgreSQL still checks that no sessions of the crashed server use its shared memory.
    static func forgetCrashed(in directory: ClusterDirectory) throws(FileError) {
        guard running(in: directory.data) == nil else { return }
        for path in ["\(directory.data)/postmaster.pid", directory.socketLock] where Files.exists(path) {
            let rest = try Files.contents(of: path).drop { $0 != UInt8(ascii: "\n") }
            try Files.overwrite(path, with: Array(String(pid_t.max).utf8) + rest)
        }
    }

    /// True if the process is alive and is a server of this data directory. A server's working directory is its data
    /// directory.
    ///
    /// If the process is a child of this one and has ended, its exit status is collected here.
    var isAlive: Bool {
        _ = waitpid(processID, nil, WNOHANG)
        return Files.destination(ofLink: "/proc/\(processID)/cwd") == data
    }

    /// A mode of shutting down (manual, chapter 19.5 "Shutting Down the Server").
    enum Shutdown: Sendable {
        /// Ends all sessions, writes all data to the disk, and stops.
        case fast
        /// Stops at once, without writing anything; the next start then recovers the data.
        case immediate

        fileprivate var signal: Int32 {
            switch self {
            case .fast: SIGINT
            case .immediate: SIGQUIT
            }
        }
    }

    func stop(_ shutdown: Shutdown) {
        if isAlive { _ = kill(processID, shutdown.signal) }
    }
}
