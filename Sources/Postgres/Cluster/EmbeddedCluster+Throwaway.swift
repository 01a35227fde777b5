import Glibc

extension EmbeddedCluster {
    /// Stops the server at once and removes every file: the end of a `.throwaway` cluster that nobody else uses.
    /// Blocks, so that it can run as the process exits.
    package func demolish() {
        Self.demolish(directory)
    }

    /// Ends the server at once, even if others use it, as in a crash. The next `start` recovers.
    package func crash() async throws(ClusterError) {
        guard let postmaster = Postmaster.running(in: directory.data) else { return }
        postmaster.stop(.immediate)
        while postmaster.isAlive { try await Self.pause() }
    }

    /// Demolishes clusters under `parent` whose processes no longer live. Their directories are named `prefix`, then
    /// the process ID, then anything.
    package static func demolishAbandoned(in parent: String, prefix: String) {
        for name in (try? Files.names(in: parent)) ?? [] where name.hasPrefix(prefix) {
            guard let processID = pid_t(name.dropFirst(prefix.count).prefix { $0.isNumber }),
                kill(processID, 0) != 0, errno == ESRCH
            else { continue }
            let directory = ClusterDirectory(requested: "\(parent)/\(name)")
            guard let start = try? FileLock(path: directory.startLock),
                let users = try? FileLock(path: directory.usersLock), start.tryExclusive(), users.tryExclusive()
            else { continue }
            demolish(directory)
        }
    }

    static func demolish(_ directory: ClusterDirectory) {
        if let postmaster = Postmaster.running(in: directory.data) {
            postmaster.stop(.immediate)
            for _ in 0..<demolitionPollsMax where postmaster.isAlive { usleep(5000) }
        }
        for path in [directory.path, directory.socketDirectory] {
            // Files that cannot be removed are left to the operating system's cleaning of temporary files.
            try? Files.removeTree(path)
        }
    }

    /// The most polls of 5 ms each, which are ten seconds.
    private static let demolitionPollsMax = 2000
}
