internal import CMicroHTTPD
internal import Glibc

// Not copyable, and moved to the one thread that runs it: microhttpd.h asks of MHD_run only that no other thread runs
// the daemon at the same time.
/// A libmicrohttpd daemon in external polling mode. The value owns the daemon, and closes its connections when it is
/// deinitialized.
///
/// Every suspended connection must have been resumed by then (microhttpd.h, MHD_suspend_connection).
struct Daemon: ~Copyable, @unchecked Sendable {
    private let raw: OpaquePointer

    init(taking raw: OpaquePointer) {
        self.raw = raw
    }

    /// A descriptor that is readable when `run()` has work to do.
    var descriptor: CInt {
        mhd_epoll(raw)
    }

    /// The longest time to wait until `descriptor` is readable, in milliseconds; -1 for no limit. After this time
    /// `run()` must be called in any case.
    var timeoutMilliseconds: CInt {
        var milliseconds: CUnsignedLongLong = 0
        guard MHD_get_timeout(raw, &milliseconds) == .YES else { return -1 }
        return CInt(clamping: milliseconds)
    }

    /// Processes all events that have occurred, without waiting for more.
    func run() {
        MHD_run(raw)
    }

    /// Stops accepting connections; open connections stay open. The caller still owns the listening socket and closes
    /// it.
    func quiesce() {
        _ = MHD_quiesce_daemon(raw)
    }

    deinit {
        // Otherwise MHD_stop_daemon would close the listening socket.
        quiesce()
        MHD_stop_daemon(raw)
    }
}
