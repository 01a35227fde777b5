internal import Glibc

/// A listening socket, which all event loops accept connections from. It owns the socket and outlives the loops.
final class ListeningSocket: Sendable {
    let descriptor: CInt
    let isIPv6: Bool
    private let address: String
    private let requestedPort: Int

    /// Opens a socket that listens on the address and port.
    ///
    /// - Throws: `.invalidAddress`, or `.cannotListen` with `errno`.
    init(address: String, port: Int) throws(HTTPServerError) {
        guard let socketAddress = SocketAddress(address, port: port) else { throw .invalidAddress(address) }
        let descriptor = socketAddress.listen()
        guard descriptor >= 0 else { throw .cannotListen(address: address, port: port, code: errno) }
        self.descriptor = descriptor
        self.address = address
        isIPv6 = socketAddress.isIPv6
        requestedPort = port
    }

    /// Checks that a server could listen on the address and port now. The check itself does not listen.
    ///
    /// - Throws: the same errors as `init`.
    static func check(address: String, port: Int) throws(HTTPServerError) {
        guard let socketAddress = SocketAddress(address, port: port) else { throw .invalidAddress(address) }
        let descriptor = socketAddress.bound()
        guard descriptor >= 0 else { throw .cannotListen(address: address, port: port, code: errno) }
        close(descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// The port in use, even if port 0 was requested.
    var port: Int {
        SocketAddress(of: descriptor).port
    }

    /// Refuses new connections. Otherwise the kernel would go on completing handshakes that nobody accepts.
    func refuse() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    func error(_ code: Int32) -> HTTPServerError {
        .cannotListen(address: address, port: requestedPort, code: code)
    }
}
