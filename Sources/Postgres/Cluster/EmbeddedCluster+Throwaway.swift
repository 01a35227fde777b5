import Glibc

extension EmbeddedCluster {
    /// Stops the server at once and removes every file of the cluster. Call this only for a `.throwaway` cluster that
    /// no other process uses. The method is synchronous, so that it can be called while the process exits.
    package func demolish() {
        Self.demolish(directory)
    }

    /// Kills the server, as a crash would, even if other processes use it. The next `start` recovers the data.
    package func crash() async throws(ClusterError) {
        guard let postmaster = Postmaster.running(in: directory.data) else { return }
        postmaster.stop(.immediate)
        while postmaster.isAlive { try await Self.pause() }
    }

    /// Stops and deletes the clusters in the directory `parent` that were left behind by processes which have ended.
    /// The name of such a cluster's directory is `prefix`, then the ID of the process, then any text.
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

    /// The maximum number of times to check that the server has ended. The checks are 5 ms apart, so they take ten
    /// seconds in all.
    private static let demolitionPollsMax = 2000
}
