extension EmbeddedCluster {
    /// Ends the server in `directory` and deletes its files.
    ///
    /// - Returns: where they were; `nil` where there was none.
    /// - Throws: `inUse` while a program uses it.
    package static func remove(directory requested: String) async throws(ClusterError) -> String? {
        let directory = ClusterDirectory(requested: requested)
        guard Files.exists(directory.path) else { return nil }
        // Nothing is deleted that only lies in its place: a link to elsewhere, a folder of somebody's.
        guard Files.isDirectory(directory.data), !Files.hasLink(below: directory.path) else {
            throw .noCluster(directory: directory.path)
        }
        let deadline = ContinuousClock.now + stopMax
        try await withStartLock(directory, until: deadline) { () throws(ClusterError) in
            let users: FileLock
            do throws(FileError) { users = try FileLock(path: directory.usersLock) } catch { throw .file(error) }
            guard users.tryExclusive() else { throw .inUse(directory: directory.path) }
            defer { users.unlock() }
            // One that a killed program left behind.
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
