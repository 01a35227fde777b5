/// A complete request: received to its last byte, within every limit, its body decompressed.
package struct HTTPRequest: Sendable {
    package let method: HTTPMethod
    package let target: RequestTarget
    package let headers: HTTPHeaders
    /// The body after decompression, at most `Limits.decompressedSizeMaxBytes` long. It is empty while the application
    /// decides on the headers (`Admission`).
    package internal(set) var body: [UInt8]
    /// The peer's numeric IP address without port, such as `127.0.0.1` or `::1`; behind a proxy, the proxy's address.
    package let remoteAddress: String
    /// The network that the peer's connections are counted under: its IPv4 address, or the /64 of its IPv6 address.
    package let network: String

    package init(
        method: HTTPMethod, target: RequestTarget, headers: HTTPHeaders = [:], body: [UInt8] = [],
        remoteAddress: String = "", network: String = ""
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
        self.network = network
    }

    /// The path as sent, still percent-encoded.
    package var path: String { target.path }
    /// The decoded segments of the path, which a router compares with its routes.
    package var segments: [String] { target.segments }
    /// The decoded query items, in order.
    package var query: [RequestTarget.QueryItem] { target.query }

    /// Returns the value of the first query item of this name; `nil` if there is none.
    package func query(firstNamed name: String) -> String? {
        target.query.first { $0.name == name }?.value
    }
}
