import Glibc
import Testing

@testable import HTTPServer

/// Idle connections, which are closed in favour of new ones.
@Suite(.timeLimit(.minutes(10)))
struct GivingWayTests {
    /// Returns limits under which, even on a busy machine, nothing else ends an idle connection.
    private static func limits(isPerAddress: Bool) -> HTTPServer.Limits {
        .with {
            if isPerAddress { $0.connectionsPerAddressMax = 2 } else { $0.connectionsMax = 2 }
            $0.idleTimeout = .seconds(600)
            $0.receiveTimeout = .seconds(600)
        }
    }

    /// Returns a client that the server has accepted. The server has also read a whole request line, so connections
    /// that are opened later are later in its order.
    private static func connect(_ server: HTTPServer, sending text: String = "") throws -> RawClient {
        let before = server.counts.openConnections + server.counts.evictedConnections
        let receiving = server.watch.receivingConnections
        let client = try RawClient(port: server.port)
        client.send(text)
        while server.counts.openConnections + server.counts.evictedConnections <= before { yieldThread() }
        if text.contains("\r\n") {
            while server.watch.receivingConnections <= receiving { yieldThread() }
        }
        return client
    }

    @Test(arguments: [true, false], ["", "GET / HT", "GET / HTTP/1.1\r\nHost: h\r\nX-Never"])
    func whatHasWaitedLongestGivesWay(isPerAddress: Bool, sent: String) async throws {
        try await withServer(limits: Self.limits(isPerAddress: isPerAddress)) { server in
            try await offPool {
                let (first, second) = (try Self.connect(server, sending: sent), try Self.connect(server))
                #expect(try RawClient(port: server.port).request("GET /").status == 200)
                #expect(try first.readToEnd().isEmpty)
                #expect(try second.request("GET /").status == 200)
            }
            #expect(server.counts.evictedConnections == 1 && server.counts.refusedConnections == 0)
        }
    }

    @Test func idleSocketsKeepNobodyOut() async throws {
        try await withServer(limits: .with { $0.connectionsMax = 16 }) { server in
            try await offPool {
                let idle = try (0..<100).map { _ in try RawClient(port: server.port) }
                for _ in 0..<20 { #expect(try RawClient(port: server.port).request("GET /").status == 200) }
                _ = idle.count
            }
        }
    }

    /// Connections with a request in progress stay open, and the new one is refused.
    @Test(arguments: [true, false])
    func whatIsBusyStays(isPerAddress: Bool) async throws {
        let gate = Gate()
        try await withServer(limits: Self.limits(isPerAddress: isPerAddress)) { _ in
            await gate.pass()
            return HTTPResponse(status: 200)
        } body: { server in
            async let held = offPool {
                let clients = [try Self.connect(server), try Self.connect(server)]
                for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
                return try clients.map { try $0.reply().status }
            }
            await gate.arrived(2)
            try await offPool {
                let third = try RawClient(port: server.port)
                #expect(throws: RawClient.Failure.self) { try third.request("GET /") }
            }
            #expect(server.counts.refusedConnections == 1 && server.counts.evictedConnections == 0)
            await gate.open()
            let released = try await held
            #expect(released == [200, 200])
        }
    }

    /// A body that arrives belongs to an authenticated client; an unread response to an unauthenticated client belongs
    /// to nobody.
    @Test(arguments: [true, false])
    func onlyAuthenticatedClientKeepsItsConnection(isKnown: Bool) async throws {
        try await withServer(limits: .with { $0.connectionsMax = 1 }) { _ in
            .admit(isKnown ? Holder("known") : nil) { _ in
                HTTPResponse(status: 200, body: [UInt8](repeating: 9, count: 30_000_000))
            }
        } body: { server in
            try await offPool {
                let client = try RawClient(port: server.port, receiveBufferBytes: 4096)
                client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try client.streamHead()
                let other = try RawClient(port: server.port, receiveBufferBytes: 4096)
                other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                if isKnown {
                    #expect(throws: RawClient.Failure.self) { try other.streamHead() }
                } else {
                    #expect(try other.streamHead().contains(" 200 "))
                }
            }
            #expect(server.counts.evictedConnections == (isKnown ? 0 : 1))
        }
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"), ("::ffff:192.0.2.7", "::ffff:192.0.2.7"), ("::1", "::/64"),
    ])
    func networkIsWhatAHostIsGiven(address: String, network: String) throws {
        let address = try #require(SocketAddress(address, port: 1))
        #expect(address.withPointer { SocketAddress.network(of: $0) } == network)
    }
}
