#if SANITIZE_THREAD
    internal import Glibc

    /// A replacement for `Synchronization.Mutex` under the thread sanitizer. The sanitizer sees POSIX mutexes but not
    /// the contended path of Swift's mutex, which is futex code in an uninstrumented library: it reports a contended
    /// lock as a race.
    ///
    /// Compiled only with `-Xswiftc -DSANITIZE_THREAD`. The replacement hides nothing, since an unlocked access is
    /// still reported.
    // POSIX.1-2017, pthread_mutex_lock: a mutex serialises its holders, so the value has one user at a time.
    struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        init(_ initial: consuming sending Value) {
            mutex = .allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
            value = .allocate(capacity: 1)
            value.initialize(to: initial)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#endif
