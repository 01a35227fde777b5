internal import CMicroHTTPD

// microhttpd.h, MHD_resume_connection: "It is safe to resume a suspended connection at any time." Nothing else is
// called on the pointer off its own thread, and a suspended connection is not freed.
/// libmicrohttpd's connection, carried to the task that resumes it.
struct ConnectionPointer: @unchecked Sendable {
    private let raw: OpaquePointer
    /// Whose connection it is.
    let loop: EventLoop

    init(_ raw: OpaquePointer, loop: EventLoop) {
        self.raw = raw
        self.loop = loop
    }

    /// Only from the access callback.
    func suspend() {
        MHD_suspend_connection(raw)
    }

    /// Exactly once for each `suspend()`.
    func resume() {
        MHD_resume_connection(raw)
        // "If you are using this function in "external" sockets polling mode, you must make sure to run MHD_run()".
        loop.wake()
    }
}
