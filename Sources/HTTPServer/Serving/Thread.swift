internal import Glibc

/// A POSIX thread, for work that blocks and so must not run on the cooperative pool.
struct Thread: Sendable {
    private let id: pthread_t

    /// Runs `body` on a new thread. Call `join()` or `detach()` exactly once.
    static func start(_ body: @escaping @Sendable () -> Void) -> Thread {
        let box = Unmanaged.passRetained(Body(run: body))
        var id = pthread_t()
        let status = pthread_create(
            &id, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        precondition(status == 0, "the system has no thread left")
        return Thread(id: id)
    }

    /// Blocks until the thread's closure has returned.
    func join() {
        pthread_join(id, nil)
    }

    /// Lets the thread end without a call of `join()`.
    func detach() {
        pthread_detach(id)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
