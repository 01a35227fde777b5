import HTTPServer
import SyncServer
import Testing

/// Tests of the client's address, behind proxies that are trusted and some that are not.
@Suite struct TrustedProxiesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let peer: String
        var forwarded: String?
        var forwardedFor: String?
        let network: String
        var testDescription: String { "\(peer) \(forwarded ?? "") \(forwardedFor ?? "")" }
    }

    static let cases = [
        Case(peer: "203.0.113.9", network: "peer"),
        // Who is not trusted can say what it likes.
        Case(peer: "203.0.113.9", forwardedFor: "198.51.100.1", network: "peer"),
        Case(peer: "10.1.2.3", network: "peer"),
        Case(peer: "10.1.2.3", forwardedFor: "198.51.100.1", network: "198.51.100.1"),
        // The client invents the first, the proxy writes the last.
        Case(peer: "10.1.2.3", forwardedFor: "192.0.2.66, 198.51.100.1", network: "198.51.100.1"),
        Case(peer: "10.1.2.3", forwardedFor: "198.51.100.1, 10.9.9.9", network: "198.51.100.1"),
        Case(peer: "10.1.2.3", forwardedFor: "198.51.100.1, nonsense", network: "peer"),
        Case(peer: "10.1.2.3", forwardedFor: "10.4.4.4", network: "peer"),
        Case(peer: "10.1.2.3", forwardedFor: "198.51.100.1:4711", network: "198.51.100.1"),
        Case(peer: "10.1.2.3", forwardedFor: "[2001:db8:1:2:3::4]:80", network: "2001:db8:1:2::/64"),
        Case(peer: "10.1.2.3", forwardedFor: "::ffff:198.51.100.1", network: "198.51.100.1"),
        Case(
            peer: "fd00::1", forwarded: #"for=192.0.2.66;proto=https, for="[2001:db8:1:2::9]""#,
            network: "2001:db8:1:2::/64"),
        Case(peer: "fd00::1", forwarded: "For=198.51.100.7;by=fd00::1", network: "198.51.100.7"),
        // A proxy writes one of the two, and passes the other on as the client sent it.
        Case(peer: "10.1.2.3", forwarded: "for=192.0.2.66", forwardedFor: "198.51.100.1", network: "peer"),
        Case(peer: "10.1.2.3", forwarded: "nonsense", forwardedFor: "198.51.100.1", network: "peer"),
        Case(peer: "10.1.2.3", forwarded: "for=198.51.100.1", forwardedFor: "198.51.100.1", network: "198.51.100.1"),
        // A name that hides the address is no address.
        Case(peer: "fd00::1", forwarded: "for=_hidden", network: "peer"),
    ]

    @Test(arguments: cases)
    func itIsTheOutermostThatATrustedProxySaw(one: Case) throws {
        let proxies = try #require(TrustedProxies("10.0.0.0/8, fd00::/8"))
        var headers = HTTPHeaders()
        if let forwarded = one.forwarded { headers["Forwarded"] = forwarded }
        if let forwardedFor = one.forwardedFor { headers["X-Forwarded-For"] = forwardedFor }
        let request = HTTPRequest(
            method: .get, target: try #require(RequestTarget("/".utf8)), headers: headers, remoteAddress: one.peer,
            network: "peer")
        #expect(proxies.network(of: request) == one.network)
        #expect(TrustedProxies.none.network(of: request) == "peer")
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/8,", "proxy.local", "10.0.0.0/-1", "::/129"])
    func whatIsNoNetworkIsRefused(text: String) {
        #expect(TrustedProxies(text) == nil || text == "10.0.0.0/8,")
    }
}
