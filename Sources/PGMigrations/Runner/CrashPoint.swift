#if DEBUG
    import Glibc
    import Synchronization
#endif

/// A point between two statements at which a run may be killed. Tests kill a run of migrations, or a move of buckets,
/// at each of these points in turn, by the point's number in the environment variable `SYNCSERVER_CRASH_AT`. In a
/// release build, nothing happens here.
package enum CrashPoint {
    #if DEBUG
        private static let last = getenv("SYNCSERVER_CRASH_AT").flatMap { Int(String(cString: $0)) }
        private static let passed = Mutex(0)

        package static func pass() {
            guard let last else { return }
            let count = passed.withLock { count in
                count += 1
                return count
            }
            if count == last { kill(getpid(), SIGKILL) }
        }
    #else
        @inline(__always)
        package static func pass() {}
    #endif
}
