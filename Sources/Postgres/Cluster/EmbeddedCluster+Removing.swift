extension EmbeddedCluster {
    /// Ends the server in `directory` and deletes its files.
    ///
    /// - Returns: the path of the deleted files; `nil` if there were none.
    /// - Throws: `inUse` while a program uses the cluster.
    package static func remove(directory requested: String) async throws(ClusterError) -> String? {
        let directory = ClusterDirectory(requested: requested)
        guard Files.exists(directory.path) else { return nil }
        // Nothing else is deleted that may lie at this path: a link to another place, or a folder that is no cluster.
        guard Files.isDirectory(directory.data), !Files.hasLink(below: directory.path) else {
            throw .noCluster(directory: directory.path)
        }
        let deadline = ContinuousClock.now + stopMax
        try await withStartLock(directory, until: deadline) { () throws(ClusterError) in
            let users: FileLock
            do throws(FileError) { users = try FileLock(path: directory.usersLock) } catch { throw .file(error) }
            guard users.tryExclusive() else { throw .inUse(directory: directory.path) }
            defer { users.unlock() }
            // A server that a killed program left behind.
            try await end(Postmaster.running(in: directory.data), until: deadline)
            do throws(FileError) {
                try Files.removeTree(directory.path)
                try Files.removeTree(directory.socketDirectory)
            } catch {
                throw .file(error)
            }
        }
        return directory.path
    }
}
