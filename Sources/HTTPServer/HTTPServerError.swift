internal import Glibc

/// The reason why a server did not start.
package enum HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The text is not a numeric IPv4 or IPv6 address.
    case invalidAddress(String)
    /// The server cannot listen: the address is in use, is not one of this host, or may not be used. `code` is `errno`.
    case cannotListen(address: String, port: Int, code: Int32)

    /// True if the address is the cause of the error, and not the port.
    package var isOfAddress: Bool {
        switch self {
        case .invalidAddress: true
        case .cannotListen(_, _, let code): code == EADDRNOTAVAIL
        }
    }

    package var description: String {
        switch self {
        case .invalidAddress(let address): "‘\(address)’ is not a numeric IP address"
        case .cannotListen(let address, let port, let code):
            "cannot listen on \(address) port \(port): \(String(cString: strerror(code)))"
        }
    }
}
