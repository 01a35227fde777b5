internal import Glibc

/// Owns the socket that connections come to; every event loop accepts from it, so it outlives them.
final class ListeningSocket: Sendable {
    let descriptor: CInt
    let isIPv6: Bool
    private let address: String
    private let requestedPort: Int

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

    /// Fails where nothing could listen now, without listening.
    ///
    /// - Throws: as `init` does.
    static func check(address: String, port: Int) throws(HTTPServerError) {
        guard let socketAddress = SocketAddress(address, port: port) else { throw .invalidAddress(address) }
        let descriptor = socketAddress.bound()
        guard descriptor >= 0 else { throw .cannotListen(address: address, port: port, code: errno) }
        close(descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// The port in use, also where 0 was asked for.
    var port: Int {
        SocketAddress(of: descriptor).port
    }

    /// Refuses new connections; without it the kernel would go on completing handshakes that nobody accepts.
    func refuse() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    func error(_ code: Int32) -> HTTPServerError {
        .cannotListen(address: address, port: requestedPort, code: code)
    }
}
