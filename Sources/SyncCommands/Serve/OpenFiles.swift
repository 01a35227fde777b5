import Glibc

/// The operating system's limit for the number of open files and sockets of this process.
enum OpenFiles {
    private static let resource = CInt(RLIMIT_NOFILE.rawValue)

    /// Raises the limit for open files as far as a process without privileges is permitted to. Shells and service
    /// managers set it to 1,024 at first, because some programs cannot handle more.
    ///
    /// - Returns: the new limit.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if setrlimit(resource, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }
}
