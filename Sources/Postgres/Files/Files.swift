import Glibc
package import WireFormats

/// The file system operations that migrations and the embedded cluster need.
package enum Files {
    /// Returns the names in a directory, sorted by their bytes. Names that begin with a dot are left out unless
    /// `includingHidden` is true.
    package static func names(in directory: String, includingHidden: Bool = false) throws(FileError) -> [String] {
        guard let stream = opendir(directory) else { throw FileError("list", path: directory) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            if includingHidden || !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Reads a text file in UTF-8, and removes the byte order mark with which some editors begin it.
    ///
    /// - Throws: the error of reading; an error if the file is UTF-16 or UTF-32, which some editors write.
    package static func text(of path: String) throws(FileError) -> [UInt8] {
        let bytes = try contents(of: path)
        do throws(TextEncoding.Unreadable) {
            return try TextEncoding.utf8(bytes)
        } catch {
            throw FileError(path: path, attempt: "read", reason: error.reason)
        }
    }

    package static func contents(of path: String) throws(FileError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileError("read", path: path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 1)
        defer { chunk.deallocate() }
        while true {
            let count = read(file, chunk.baseAddress, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw FileError("read", path: path)
            }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    /// The modification time of a regular file; `nil` for any other kind of file, and if there is no such file.
    package static func lastChanged(_ path: String) -> Timestamp? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let (microseconds, isOver) = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000)
        let time = Timestamp(microseconds: microseconds &+ Int64(status.st_mtim.tv_nsec) / 1000)
        return isOver || !Timestamp.wireRange.contains(time) ? nil : time
    }

    /// Returns true if `path` itself, or the directory that contains it, is a symbolic link.
    static func hasLink(below path: String) -> Bool {
        let parts = path.split(separator: "/")
        return [parts[...], parts.dropLast()].contains { parts in
            var status = stat()
            return lstat("/" + parts.joined(separator: "/"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        }
    }

    /// The maximum size of a file that `settings(at:)` reads, in bytes.
    private static let settingsMaxBytes = 1 << 20

    /// Reads a UTF-8 text file whose path a setting gives. The file must be a regular file of limited size, because
    /// reading a file of another kind, such as a pipe, might never end.
    package static func settings(at path: String) throws(FileError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileError("read", path: path) }
        var status = stat()
        let isFile = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        close(file)
        guard isFile else { throw FileError(path: path, attempt: "read", reason: "It is not a regular file") }
        guard status.st_size <= settingsMaxBytes else {
            throw FileError(path: path, attempt: "read", reason: "It has more than \(settingsMaxBytes) bytes")
        }
        return try text(of: path)
    }

    /// Replaces the contents of an existing file. Its owner and mode stay the same.
    static func overwrite(_ path: String, with bytes: [UInt8]) throws(FileError) {
        let file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw FileError("write", path: path) }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { write(file, $0.baseAddress! + written, $0.count - written) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw FileError("write", path: path) }
            written += count
        }
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// The space that an ordinary user may still use on the file system of `path`, in bytes; `nil` if it is not
    /// reported.
    static func bytesFree(at path: String) -> Int64? {
        var status = statvfs()
        return statvfs(path, &status) == 0 ? Int64(status.f_bavail) * Int64(status.f_frsize) : nil
    }

    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates the directory `path` with `mode` and the missing directories above it with mode 0755, whatever the
    /// umask.
    package static func makeDirectory(_ path: String, mode: UInt32) throws(FileError) {
        if isDirectory(path) { return }
        if let parent = parent(of: path) { try makeDirectory(parent, mode: 0o755) }
        if mkdir(path, mode) == 0 {
            guard chmod(path, mode) == 0 else { throw FileError("change the mode of", path: path) }
        } else if errno != EEXIST {
            throw FileError("create", path: path)
        }
    }

    package static func changeOwner(of path: String, to account: Account) throws(FileError) {
        guard chown(path, account.userID, account.groupID) == 0 else {
            throw FileError("change the owner of", path: path)
        }
    }

    static func rename(_ path: String, to newPath: String) throws(FileError) {
        guard Glibc.rename(path, newPath) == 0 else { throw FileError("rename", path: path) }
    }

    /// Removes `path` and everything below it. Symbolic links are removed, and not their targets. Does nothing if
    /// `path` does not exist.
    package static func removeTree(_ path: String) throws(FileError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in try names(in: path, includingHidden: true) { try removeTree("\(path)/\(name)") }
        }
        guard remove(path) == 0 || errno == ENOENT else { throw FileError("remove", path: path) }
    }

    /// Returns `path` as an absolute path; symbolic links are not resolved.
    static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        guard let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    /// The target of a symbolic link; `nil` if `path` is no link, or may not be read.
    static func destination(ofLink path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes {
            readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Returns `path` with every symbolic link resolved; `nil` if nothing exists at `path`.
    static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns true if `account` has permission to pass through every existing directory above `path`.
    static func isReachable(_ path: String, by account: Account) -> Bool {
        var next = parent(of: path)
        while let directory = next {
            var status = stat()
            if stat(directory, &status) == 0 {
                let bit =
                    status.st_uid == account.userID ? S_IXUSR : status.st_gid == account.groupID ? S_IXGRP : S_IXOTH
                if status.st_mode & bit == 0 { return false }
            }
            next = parent(of: directory)
        }
        return true
    }

    /// Returns true if `path` is a directory (and not a link to one), belongs to `userID`, and may be entered by nobody
    /// else.
    static func isPrivateDirectory(_ path: String, of userID: uid_t) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
        return status.st_uid == userID && status.st_mode & 0o077 == 0
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), path != "/" else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
