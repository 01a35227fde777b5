internal import Glibc

extension HTTPServer {
    /// Where the server listens, and with what.
    package struct Configuration: Sendable {
        /// A numeric IPv4 or IPv6 address.
        package var address = "127.0.0.1"
        /// 0 takes any free port; see `HTTPServer.port`.
        package var port = 0
        /// Threads that read and write sockets. They never run `respond`, so a few serve many cores.
        package var threads = min(max(sysconf(CInt(_SC_NPROCESSORS_ONLN)), 1), threadsDefaultMax)
        package var limits = Limits()

        /// Socket work saturates a network long before it saturates more threads than this.
        private static let threadsDefaultMax = 4

        package init() {}
    }
}
