internal import Glibc

extension HTTPServer {
    /// Where the server listens, and with what.
    package struct Configuration: Sendable {
        /// A numeric IPv4 or IPv6 address.
        package var address = "127.0.0.1"
        /// 0 takes any free port; see `HTTPServer.port`.
        package var port = 0
        /// Threads that read and write sockets, and run `respond` for short requests: one for each core.
        package var threads = max(sysconf(CInt(_SC_NPROCESSORS_ONLN)), 1)
        package var limits = Limits()

        package init() {}
    }
}
