import HTTPServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StreamingTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n"

    /// Runs `body` with a server that answers every request with the source's stream.
    private func withStream(
        limits: HTTPServer.Limits = HTTPServer.Limits(), _ body: (HTTPServer, TestSource) async throws -> Void
    ) async throws {
        let source = TestSource()
        try await withServer(limits: limits) { _ in
            HTTPResponse(
                status: 200, headers: ["Content-Type": "text/event-stream"], body: .stream(source.stream))
        } body: { server in
            try await body(server, source)
        }
    }

    private func expectProblem(_ reply: RawClient.Reply, _ status: Int, _ code: String) {
        #expect(reply.status == status && reply.text.contains(#""code":"\#(code)""#), "\(reply)")
    }

    @Test(arguments: [(0, 1), (1, 1), (1000, 1), (20, 100_000)])
    func chunksArriveInOrderAndThenTheConnectionEnds(count: Int, size: Int) async throws {
        try await withServer { _ in
            let sent = Atomic(0)
            let stream = HTTPBodyStream(bell: Bell(), heartbeat: [0]) {
                let number = sent.add(1, ordering: .relaxed).oldValue
                return number < count ? .bytes([UInt8](repeating: UInt8(number % 256), count: size)) : .end
            } ended: {
            }
            return HTTPResponse(status: 200, body: .stream(stream))
        } body: { server in
            try await offPool {
                for _ in 0..<3 {
                    let client = try RawClient(port: server.port)
                    let reply = try client.request("GET /", headers: ["Accept-Encoding: gzip"])
                    #expect(reply.headers["connection"] == "close" && reply.headers["date"]?.hasSuffix("GMT") == true)
                    #expect(reply.headers["content-encoding"] == nil)
                    #expect(reply.body.count == count * size)
                    #expect(reply.body.enumerated().allSatisfy { Int($1) == ($0 / size) % 256 })
                }
            }
        }
    }

    @Test func headIsAnsweredWithTheHeadersAloneAndTheConnectionGoesOn() async throws {
        try await withStream { server, source in
            try await offPool {
                let client = try RawClient(port: server.port)
                for _ in 0..<2 {
                    let reply = try client.request("HEAD /")
                    #expect(reply.status == 200 && reply.headers["content-type"] == "text/event-stream")
                }
            }
            await source.ended()
        }
    }

    @Test func eventIsSentWhenItHappensAndStopEndsTheStream() async throws {
        try await withStream { server, source in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send(Self.get)
                #expect(try client.streamHead().contains("text/event-stream"))
                for number in 0..<10 {
                    let event = "data: \(number)\n\n"
                    source.put(event)
                    #expect(try client.text(event.utf8.count) == event)
                }
                Task { await server.stop() }
                #expect(try client.readToEnd().isEmpty)
            }
            await source.ended()
            // No client reads the stream any more.
            source.put("data: late\n\n")
        }
    }

    @Test func theSourceEndsTheStream() async throws {
        try await withStream { server, source in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send(Self.get)
                _ = try client.streamHead()
                source.put("last")
                source.finish()
                #expect(try client.readToEnd() == Array("last".utf8))
            }
            await source.ended()
        }
    }

    /// The stream ends long before the next heartbeat.
    @Test func clientThatLeavesEndsTheStream() async throws {
        try await withStream { server, source in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send(Self.get)
                _ = try client.streamHead()
            }
            await source.ended()
            #expect(server.counts.inFlight == 0)
        }
    }

    @Test func slowReaderGetsOnlyTheLatest() async throws {
        try await withStream { server, source in
            try await offPool {
                let client = try RawClient(port: server.port, receiveBufferBytes: 4096)
                client.send(Self.get)
                _ = try client.streamHead()
                let size = 20_000_000
                source.put([UInt8](repeating: 7, count: size))
                #expect(try client.text(1) == "\u{7}")
                // The first value blocks the others until it is read.
                for number in 0...1000 { source.put("\(number)") }
                source.finish()
                let rest = try client.readToEnd()
                #expect(rest.count == size - 1 + "1000".utf8.count)
                #expect(rest.suffix(4) == Array("1000".utf8)[...])
            }
        }
    }

    @Test func heartbeatsComeWhileNothingElseDoes() async throws {
        try await withStream(limits: .with { $0.heartbeatInterval = .milliseconds(20) }) { server, _ in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send(Self.get)
                _ = try client.streamHead()
                for _ in 0..<5 { #expect(try client.text(2) == ":\n") }
            }
        }
    }

    @Test func clientThatDoesNotReadIsCut() async throws {
        let limits = HTTPServer.Limits.with {
            $0.heartbeatInterval = .milliseconds(50)
            $0.sendTimeout = .milliseconds(200)
        }
        try await withStream(limits: limits) { server, source in
            let client = try await offPool {
                let client = try RawClient(port: server.port, receiveBufferBytes: 4096)
                client.send(Self.get)
                _ = try client.streamHead()
                source.put([UInt8](repeating: 7, count: 20_000_000))
                return Shared(client)
            }
            await source.ended()
            withExtendedLifetime(client) {}
        }
    }

    /// A client that may be sent to another task, because only one task uses it at a time.
    private struct Shared: @unchecked Sendable {
        let client: RawClient
        init(_ client: RawClient) { self.client = client }
    }

    @Test func streamsTakeNoneOfTheConnectionsAndHaveALimitOfTheirOwn() async throws {
        let limits = HTTPServer.Limits.with {
            $0.connectionsMax = 1
            $0.streamsMax = 2
        }
        let sources = (0..<3).map { _ in TestSource() }
        let next = Atomic(0)
        try await withServer(limits: limits) { request in
            if request.path == "/plain" { return HTTPResponse(status: 200) }
            let source = sources[next.add(1, ordering: .relaxed).oldValue]
            return HTTPResponse(status: 200, body: .stream(source.stream))
        } body: { server in
            try await offPool {
                let listeners = try (0..<2).map { _ in
                    let client = try RawClient(port: server.port)
                    client.send(Self.get)
                    _ = try client.streamHead()
                    while server.counts.openConnections > 0 { yieldThread() }
                    return client
                }
                #expect(server.counts.openStreams == 2)
                let client = try RawClient(port: server.port)
                #expect(try client.request("GET /plain").status == 200)
                let refusal = try client.request("GET /")
                expectProblem(refusal, 503, "overloaded")
                #expect(refusal.headers["retry-after"] == "30")
                // A refused stream does not listen, and the connection stays usable.
                #expect(try client.request("GET /plain").status == 200)
                withExtendedLifetime(listeners) {}
            }
            await sources[2].ended()
            for source in sources[..<2] {
                source.finish()
                await source.ended()
            }
            while server.counts.openStreams > 0 { await Task.yield() }
        }
    }

    @Test func headerThatCannotBeSentIsAProblemAndEndsTheStream() async throws {
        let source = TestSource()
        try await withServer { _ in
            HTTPResponse(status: 200, headers: ["X-Broken": "a\r\nb"], body: .stream(source.stream))
        } body: { server in
            let reply = try await offPool { try RawClient(port: server.port).request("GET /") }
            expectProblem(reply, 500, "internal")
            await source.ended()
        }
    }

    @Test func manyStreamsAreWrittenAndEndedTogether() async throws {
        let sources = (0..<300).map { _ in TestSource() }
        let next = Atomic(0)
        try await withServer { _ in
            let source = sources[next.add(1, ordering: .relaxed).oldValue]
            return HTTPResponse(status: 200, body: .stream(source.stream))
        } body: { server in
            try await offPool {
                let clients = try sources.map { _ in
                    let client = try RawClient(port: server.port)
                    client.send(Self.get)
                    _ = try client.streamHead()
                    return client
                }
                for round in 0..<3 {
                    for source in sources { source.put("\(round)") }
                    for client in clients { #expect(try client.text(1) == "\(round)") }
                }
            }
            for source in sources { await source.ended() }
            while server.counts.openStreams > 0 { await Task.yield() }
        }
    }
}
