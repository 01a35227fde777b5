import Glibc

/// A file or directory that could not be used.
package struct FileError: Error, Sendable, Hashable {
    package let path: String
    /// The verb for the action that failed, such as "read".
    package let attempt: String
    /// The reason of the failure, as the operating system states it.
    package let reason: String

    package init(path: String, attempt: String, reason: String) {
        self.path = path
        self.attempt = attempt
        self.reason = reason
    }

    /// Creates an error from `errno`. Call this right after the system call that failed.
    package init(_ attempt: String, path: String) {
        self.init(path: path, attempt: attempt, reason: String(cString: strerror(errno)))
    }
}

extension FileError: CustomStringConvertible {
    package var description: String { "Cannot \(attempt) \(path): \(reason)." }
}
