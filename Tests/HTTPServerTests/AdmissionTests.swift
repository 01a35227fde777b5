import HTTPServer
import Synchronization
import Testing

/// Admission of requests: first the headers, then the client's identity, then the body.
@Suite(.timeLimit(.minutes(10)))
struct AdmissionTests {
    private static let refusal = HTTPResponse(status: 401, body: Array("who?".utf8))
    private static let declared = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000000\r\n"

    /// Returns an echo of the request's body, once `gate` is open.
    private static func echo(behind gate: Gate) -> @Sendable (HTTPRequest) -> Admission {
        { _ in
            .lookUp {
                await gate.pass()
                return .admit(Holder("known")) { HTTPResponse(status: 200, body: $0.body) }
            }
        }
    }

    @Test(arguments: [true, false], ["", "Expect: 100-continue\r\n", "Content-Encoding: zstd\r\n"])
    func answerComesBeforeTheBody(isLookedUp: Bool, header: String) async throws {
        try await withServer { request in
            #expect(request.body.isEmpty)
            return isLookedUp ? .lookUp { .answer(Self.refusal) } : .answer(Self.refusal)
        } body: { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send(Self.declared + header + "\r\n")
                let reply = try client.reply()
                #expect(reply.status == 401 && reply.text == "who?")
                #expect(reply.headers["connection"]?.lowercased() == "close")
                #expect(try client.readToEnd().isEmpty)
                // A client that sends everything regardless still receives the response.
                let eager = try RawClient(port: server.port)
                eager.send(Self.declared + header + "\r\n")
                eager.send([UInt8](repeating: 1, count: 8_000_000))
                #expect(try eager.reply().status == 401)
            }
            #expect(server.counts.refusedRequests == 0)
        }
    }

    @Test(arguments: [true, false])
    func answerToARequestWithoutABodyKeepsTheConnection(isLookedUp: Bool) async throws {
        try await withServer { _ in
            isLookedUp ? .lookUp { .answer(Self.refusal) } : .answer(Self.refusal)
        } body: { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                for method in ["GET /", "POST /", "HEAD /", "GET /"] {
                    #expect(try client.request(method, body: method == "POST /" ? [] : nil).status == 401)
                }
            }
        }
    }

    @Test func bodyWaitsForTheLookUp() async throws {
        let gate = Gate()
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try await withServer(admit: Self.echo(behind: gate)) { server in
            async let reply = offPool { try RawClient(port: server.port).request("POST /", body: body) }
            await gate.arrived(1)
            #expect(server.counts.bufferedBytes == 0 && server.counts.inFlight == 0)
            await gate.open()
            let whole = try await reply
            #expect(whole.body == body)
        }
    }

    @Test func unauthenticatedClientIsNotAskedToContinue() async throws {
        let gate = Gate()
        try await withServer(admit: Self.echo(behind: gate)) { server in
            async let statuses = offPool {
                let client = try RawClient(port: server.port)
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
                let first = try client.reply().status
                client.send("body")
                return [first, try client.reply().status]
            }
            await gate.arrived(1)
            await gate.open()
            let answers = try await statuses
            #expect(answers == [100, 200])
        }
    }

    @Test func pipelinedRequestsAreLookedUpInOrder() async throws {
        let gate = Gate()
        await gate.open()
        try await withServer(admit: Self.echo(behind: gate)) { server in
            let texts = try await offPool {
                let client = try RawClient(port: server.port)
                let wire = (100..<150).map { "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n\($0)" }
                client.send(wire.joined())
                return try (0..<50).map { _ in try client.reply().text }
            }
            #expect(texts == (100..<150).map { "\($0)" })
        }
    }

    @Test func clientThatHasFinishedSendingIsAnswered() async throws {
        let gate = Gate()
        try await withServer(admit: Self.echo(behind: gate)) { server in
            async let status = offPool {
                let client = try RawClient(port: server.port)
                client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                client.finishSending()
                return try client.reply().status
            }
            await gate.arrived(1)
            await gate.open()
            let answer = try await status
            #expect(answer == 200)
        }
    }

    @Test func clientMayLeaveDuringTheLookUp() async throws {
        let gate = Gate()
        try await withServer(admit: Self.echo(behind: gate)) { server in
            try await offPool {
                try RawClient(port: server.port).send(Self.declared + "\r\nbegin")
                try RawClient(port: server.port).send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                return
            }
            await gate.arrived(2)
            await gate.open()
            try await offPool {
                while server.counts.openConnections > 0 { yieldThread() }
            }
        }
    }

    @Test func lookUpThatNeverEndsIsGivenUp() async throws {
        let gate = Gate()
        let limits = HTTPServer.Limits.with { $0.stopGrace = .milliseconds(50) }
        try await withServer(limits: limits, admit: Self.echo(behind: gate)) { server in
            async let received = offPool {
                let clients = [try RawClient(port: server.port), try RawClient(port: server.port)]
                clients[0].send(Self.declared + "\r\nbegin")
                clients[1].send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                return try clients.flatMap { try $0.readToEnd() }
            }
            await gate.arrived(2)
            await server.stop()
            let bytes = try await received
            #expect(bytes.isEmpty)
            // The late response has no client any more.
            await gate.open()
        }
    }

    @Test func whoStaysUnknownMaySendNoBody() async throws {
        try await withServer { _ in
            .admit(nil) { HTTPResponse(status: 200, body: $0.body) }
        } body: { server in
            try await offPool {
                #expect(try RawClient(port: server.port).request("GET /").status == 200)
                let refused = try RawClient(port: server.port).request("POST /", body: [1])
                #expect(refused.status == 413 && refused.text.contains(#""code":"too-large""#))
            }
            #expect(server.counts.refusedRequests == 1)
        }
    }

    /// A request that takes no slot among the requests in flight is answered even when none is free.
    @Test func answerNeedsNoSlot() async throws {
        let gate = Gate()
        try await withServer(limits: .with { $0.inFlightMax = 1 }) { request in
            if request.path == "/health" { return .answer(HTTPResponse(status: 200)) }
            return .admit(Holder("known")) { _ in
                await gate.pass()
                return HTTPResponse(status: 200)
            }
        } body: { server in
            async let held = offPool { try RawClient(port: server.port).request("GET /").status }
            await gate.arrived(1)
            try await offPool {
                let client = try RawClient(port: server.port)
                for _ in 0..<20 { #expect(try client.request("GET /health").status == 200) }
                #expect(try client.request("GET /").status == 503)
            }
            await gate.open()
            let released = try await held
            #expect(released == 200)
        }
    }
}
