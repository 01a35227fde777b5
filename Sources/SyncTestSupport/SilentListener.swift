import Glibc

/// A server on a port of the loopback interface that lets clients connect and never sends anything.
package final class SilentListener: Sendable {
    private let descriptor: Int32
    package let port: Int

    package init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let (bound, named) = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                (bind(descriptor, address, length), getsockname(descriptor, address, &length))
            }
        }
        precondition(bound == 0 && named == 0 && listen(descriptor, 16) == 0, "There is no free port.")
        port = Int(in_port_t(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    /// Returns true if a client has connected.
    package func isConnected() -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 1
    }
}
