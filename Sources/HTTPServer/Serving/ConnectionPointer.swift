internal import CMicroHTTPD

// microhttpd.h, MHD_resume_connection: "It is safe to resume a suspended connection at any time." Nothing else is
// called on the pointer off its own thread, and a suspended connection is not freed.
/// A pointer to a libmicrohttpd connection, which is passed to the task that resumes the connection.
struct ConnectionPointer: @unchecked Sendable {
    private let raw: OpaquePointer
    /// The event loop that the connection belongs to.
    let loop: EventLoop

    init(_ raw: OpaquePointer, loop: EventLoop) {
        self.raw = raw
        self.loop = loop
    }

    /// Suspends the connection. Call this only in the access callback of libmicrohttpd.
    func suspend() {
        MHD_suspend_connection(raw)
    }

    /// Resumes the connection. Call this exactly once for each `suspend()`.
    func resume() {
        MHD_resume_connection(raw)
        // "If you are using this function in "external" sockets polling mode, you must make sure to run MHD_run()".
        loop.wake()
    }
}
