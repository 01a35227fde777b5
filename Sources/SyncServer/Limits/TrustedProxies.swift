package import HTTPServer

/// The proxies whose forwarding headers are trusted.
package struct TrustedProxies: Sendable {
    private let networks: [AddressRange]

    /// The maximum number of addresses that are read from one request's headers. No real chain of proxies is as long.
    static let hopsMax = 16

    package static let none = TrustedProxies(networks: [])

    private init(networks: [AddressRange]) {
        self.networks = networks
    }

    /// Parses a list of networks.
    ///
    /// - Parameter text: networks such as `10.0.0.0/8` or `fd00::/8`, or addresses, separated by commas; the
    ///   initializer returns `nil` if one of them is invalid.
    package init?(_ text: String) {
        let parts = text.split(separator: ",").map { AddressRange(String($0.filter { $0 != " " })) }
        let found = parts.compactMap(\.self)
        guard !found.isEmpty, found.count == parts.count else { return nil }
        networks = found
    }

    /// Returns the network that a request is counted under. This is the network from which the connection comes. If the
    /// connection comes from a trusted proxy, it is the network from which the outermost trusted proxy got the request.
    /// An address that the client itself states is ignored.
    ///
    /// `Forwarded` (RFC 7239) and `X-Forwarded-For` are read. Most proxies write one of them and pass the other on as
    /// the client sent it, and the server cannot see which is which. So if the two differ, neither counts.
    package func network(of request: HTTPRequest) -> String {
        guard !networks.isEmpty, trusts(request.remoteAddress) else { return request.network }
        let forwarded = TrustedProxies.forwarded(request.headers)
        let forwardedFor = request.headers.tokens(named: "X-Forwarded-For").map { TrustedProxies.bare(String($0)) }
        let seen = Set([forwarded, forwardedFor].filter { !$0.isEmpty }.map { outermost(of: $0) })
        return seen.count == 1 ? seen.first.flatMap(\.self) ?? request.network : request.network
    }

    /// Returns the network of the client that sent the request to the outermost trusted proxy.
    ///
    /// Each proxy appends the address from which it received the request. So the list is read from its end. The first
    /// address that is not a trusted proxy's is the client's. The addresses before it are only the client's statement.
    ///
    /// - Returns: `nil` if there is no such address.
    private func outermost(of addresses: [String]) -> String? {
        for address in addresses.suffix(TrustedProxies.hopsMax).reversed() {
            guard let parsed = IPAddress(address) else { return nil }
            if !trusts(parsed) { return parsed.network }
        }
        return nil
    }

    /// Returns true if the address is that of a trusted proxy.
    func trusts(_ text: String) -> Bool { IPAddress(text).map(trusts) ?? false }

    private func trusts(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// Returns the addresses of `Forwarded`, the client's first.
    private static func forwarded(_ headers: HTTPHeaders) -> [String] {
        headers.tokens(named: "Forwarded").map { element in
            let pairs = element.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1) }
            let from = pairs.first { $0.count == 2 && $0[0].filter({ $0 != " " }).lowercased() == "for" }
            return bare(from.map { String($0[1]) } ?? "")
        }
    }

    /// Returns an address without quotation marks, brackets and port.
    private static func bare(_ text: String) -> String {
        let text = text.filter { $0 != "\"" && $0 != " " }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return String(text.dropFirst()[..<end]) }
        return text.count { $0 == ":" } == 1 ? String(text.prefix { $0 != ":" }) : text
    }
}
