internal import CMicroHTTPD
internal import Glibc

// microhttpd manual, section 1.2: "MHD is thread safe" for calls on a daemon from any thread; the owner makes two.
/// Owns a running libmicrohttpd daemon; giving it up closes every connection and joins its threads.
///
/// Before that every suspended connection must have been resumed (microhttpd.h, MHD_suspend_connection).
struct Daemon: ~Copyable, @unchecked Sendable {
    private let raw: OpaquePointer
    private var listener: CInt = MHD_INVALID_SOCKET

    init(taking raw: OpaquePointer) {
        self.raw = raw
    }

    /// Accepts no more; open connections go on.
    mutating func quiesce() {
        listener = MHD_quiesce_daemon(raw)
        // Otherwise the kernel goes on completing handshakes, and those clients hang until the close.
        if listener != MHD_INVALID_SOCKET { shutdown(listener, CInt(SHUT_RDWR)) }
    }

    deinit {
        MHD_stop_daemon(raw)
        // MHD_quiesce_daemon: the socket "must not be closed until AFTER MHD_stop_daemon has been called".
        if listener != MHD_INVALID_SOCKET { close(listener) }
    }
}
