import Glibc

/// A file into which a command writes its output, either completely or not at all. It keeps the permissions of an
/// existing file at that path.
enum OutputFile {
    /// The permissions of a new file. Only its owner can read it, because it contains the data of a space.
    private static let newMode: UInt32 = 0o600

    /// Writes the bytes to the path. A regular file is replaced atomically; a device or a pipe is written to directly.
    static func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            let file = open(path, O_WRONLY | O_CLOEXEC)
            guard file >= 0, put(bytes, file), close(file) == 0 else { throw failure(path) }
            return
        }
        // Resolves links, so that their target is replaced.
        let target = resolved(path) ?? path
        let partial = "\(target).partial-\(getpid())"
        let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, newMode)
        guard file >= 0 else { throw failure(path) }
        let isWritten =
            put(bytes, file) && fchmod(file, isThere ? status.st_mode & 0o7777 : newMode) == 0 && fsync(file) == 0
        guard close(file) == 0, isWritten, rename(partial, target) == 0 else {
            let failure = failure(path)
            unlink(partial)
            throw failure
        }
    }

    private static func put(_ bytes: [UInt8], _ file: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError("\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
}
