import Glibc

/// The limit of open files and sockets of the process.
enum OpenFiles {
    private static let resource = CInt(RLIMIT_NOFILE.rawValue)

    /// Raises the limit as far as an ordinary process may. Shells and supervisors begin with 1,024, for the sake of
    /// programs that cannot handle more.
    ///
    /// - Returns: the limit after that.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if setrlimit(resource, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }
}
