internal import Glibc

extension HTTPServer {
    /// The address, port, threads and limits that the server starts with.
    package struct Configuration: Sendable {
        /// The numeric IPv4 or IPv6 address to listen on.
        package var address = "127.0.0.1"
        /// The port to listen on. With 0 the system chooses a free port, which `HTTPServer.port` then states.
        package var port = 0
        /// The number of threads that read and write sockets and run `respond` for short requests: one for each core.
        package var threads = max(sysconf(CInt(_SC_NPROCESSORS_ONLN)), 1)
        package var limits = Limits()

        package init() {}
    }
}
