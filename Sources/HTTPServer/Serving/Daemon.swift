internal import CMicroHTTPD
internal import Glibc

// Not copyable, and moved to the one thread that runs it: microhttpd.h asks of MHD_run only that no other thread runs
// the daemon at the same time.
/// Owns a libmicrohttpd daemon in external polling mode; giving it up closes its connections.
///
/// Before that every suspended connection must have been resumed (microhttpd.h, MHD_suspend_connection).
struct Daemon: ~Copyable, @unchecked Sendable {
    private let raw: OpaquePointer

    init(taking raw: OpaquePointer) {
        self.raw = raw
    }

    /// Readable when `run()` has something to do.
    var descriptor: CInt {
        mhd_epoll(raw)
    }

    /// Milliseconds until `run()` must be called even so; -1 for never.
    var timeoutMilliseconds: CInt {
        var milliseconds: CUnsignedLongLong = 0
        guard MHD_get_timeout(raw, &milliseconds) == .YES else { return -1 }
        return CInt(clamping: milliseconds)
    }

    /// Does what there is to do, without waiting.
    func run() {
        MHD_run(raw)
    }

    /// Accepts no more; open connections go on. The listening socket is left to its owner.
    func quiesce() {
        _ = MHD_quiesce_daemon(raw)
    }

    deinit {
        // Otherwise MHD_stop_daemon would close the listening socket.
        quiesce()
        MHD_stop_daemon(raw)
    }
}
