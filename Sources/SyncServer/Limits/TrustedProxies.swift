package import HTTPServer

/// The proxies whose word about where a request comes from is taken, and what they say.
package struct TrustedProxies: Sendable {
    private let networks: [AddressRange]

    /// The most addresses that are looked at in one request's headers: more than there are proxies in a row.
    static let hopsMax = 16

    package static let none = TrustedProxies(networks: [])

    private init(networks: [AddressRange]) {
        self.networks = networks
    }

    /// - Parameter text: networks such as `10.0.0.0/8` or `fd00::/8`, or addresses, divided by commas; `nil` where one
    ///   of them is none.
    package init?(_ text: String) {
        let parts = text.split(separator: ",").map { AddressRange(String($0.filter { $0 != " " })) }
        let found = parts.compactMap(\.self)
        guard !found.isEmpty, found.count == parts.count else { return nil }
        networks = found
    }

    /// What a request is counted under: as `HTTPRequest.network`, and behind trusted proxies the network that the
    /// outermost of them saw. What it says itself to come from counts for nothing.
    ///
    /// `Forwarded` (RFC 7239) and `X-Forwarded-For` are read. Most proxies write one and pass the other on as the
    /// client sent it, and which one that is cannot be seen: so where they differ, neither counts.
    package func network(of request: HTTPRequest) -> String {
        guard !networks.isEmpty, trusts(request.remoteAddress) else { return request.network }
        let forwarded = TrustedProxies.forwarded(request.headers)
        let forwardedFor = request.headers.tokens(named: "X-Forwarded-For").map { TrustedProxies.bare(String($0)) }
        let seen = Set([forwarded, forwardedFor].filter { !$0.isEmpty }.map { outermost(of: $0) })
        return seen.count == 1 ? seen.first.flatMap(\.self) ?? request.network : request.network
    }

    /// Each proxy writes behind what it was told. So from the end on everything is true, up to the first that a proxy
    /// did not write which we trust.
    ///
    /// - Returns: its network; `nil` where there is none.
    private func outermost(of addresses: [String]) -> String? {
        for address in addresses.suffix(TrustedProxies.hopsMax).reversed() {
            guard let parsed = IPAddress(address) else { return nil }
            if !trusts(parsed) { return parsed.network }
        }
        return nil
    }

    /// Whether the word of who has this address is taken.
    func trusts(_ text: String) -> Bool { IPAddress(text).map(trusts) ?? false }

    private func trusts(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }

    /// The addresses of `Forwarded`, the client's first.
    private static func forwarded(_ headers: HTTPHeaders) -> [String] {
        headers.tokens(named: "Forwarded").map { element in
            let pairs = element.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1) }
            let from = pairs.first { $0.count == 2 && $0[0].filter({ $0 != " " }).lowercased() == "for" }
            return bare(from.map { String($0[1]) } ?? "")
        }
    }

    /// An address without quotation marks, brackets and port.
    private static func bare(_ text: String) -> String {
        let text = text.filter { $0 != "\"" && $0 != " " }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return String(text.dropFirst()[..<end]) }
        return text.count { $0 == ":" } == 1 ? String(text.prefix { $0 != ":" }) : text
    }
}
