import Glibc

/// A shared or exclusive lock on a file: an open file description lock (`fcntl(2)`). The kernel releases it when the
/// process that holds it ends, in whatever way.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Opens the file, and creates it if it does not exist. The file is not locked yet. Child processes do not inherit
    /// the descriptor.
    init(path: String) throws(FileError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError("open", path: path) }
    }

    deinit { close(descriptor) }

    func tryExclusive() -> Bool { set(F_WRLCK) }

    func tryShared() -> Bool { set(F_RDLCK) }

    func unlock() { _ = set(F_UNLCK) }

    private func set(_ kind: Int32) -> Bool {
        var range = flock()
        range.l_type = Int16(kind)
        range.l_whence = Int16(SEEK_SET)
        return fcntl(descriptor, Self.setLock, &range) == 0
    }

    /// The command F_OFD_SETLK of `<fcntl.h>`, which sets or releases a lock and does not wait. Swift does not import
    /// it.
    private static let setLock: Int32 = 37
}
