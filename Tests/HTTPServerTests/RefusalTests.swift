import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RefusalTests {
    private func expectProblem(_ reply: RawClient.Reply, _ status: Int, _ code: String) {
        #expect(reply.status == status)
        #expect(reply.headers["content-type"] == "application/problem+json")
        #expect(reply.text.hasPrefix(#"{"type":"about:blank","title":""#))
        #expect(reply.text.contains(#""status":\#(status),"code":"\#(code)""#))
    }

    @Test func declaredLengthOverTheLimitIsRefusedBeforeTheBody() async throws {
        try await withServer(limits: .with { $0.bodySizeMaxBytes = 1000 }) { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n")
                expectProblem(try client.reply(), 413, "too-large")
                #expect(try client.readToEnd().isEmpty)
                // A body of exactly the limit is accepted.
                let exact = [UInt8](repeating: 7, count: 1000)
                #expect(try RawClient(port: server.port).request("POST /", body: exact).body == exact)
            }
        }
    }

    @Test(arguments: [true, false])
    func clientThatSendsTooMuchRegardlessStillReadsTheRefusal(isChunked: Bool) async throws {
        try await withServer(limits: .with { $0.bodySizeMaxBytes = 100_000 }) { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                let body = [UInt8](repeating: 7, count: 1_000_000)
                if isChunked {
                    client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nF4240\r\n")
                } else {
                    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n")
                }
                client.send(body)
                client.finishSending()
                let reply = try client.reply()
                if isChunked {
                    expectProblem(reply, 411, "length-required")
                } else {
                    expectProblem(reply, 413, "too-large")
                }
                #expect(try client.readToEnd().isEmpty)
            }
            #expect(server.counts.refusedRequests == 1)
        }
    }

    @Test func headersOverTheLimitAreRefused() async throws {
        try await withServer(limits: .with { $0.headersSizeMaxBytes = 4096 }) { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                let reply = try client.request("GET /", headers: ["X-Long: " + String(repeating: "x", count: 5000)])
                expectProblem(reply, 431, "headers-too-large")
                // Far above the limit libmicrohttpd itself refuses, with a page of its own.
                let far = try RawClient(port: server.port).request(
                    "GET /", headers: ["X-Long: " + String(repeating: "x", count: 100_000)])
                #expect(far.status == 431)
                #expect(try RawClient(port: server.port).request("GET /").status == 200)
            }
        }
    }

    @Test func overTheInFlightLimitIsRefusedAtOnce() async throws {
        let gate = Gate()
        try await withServer(limits: .with { $0.inFlightMax = 2 }) { _ in
            await gate.pass()
            return HTTPResponse(status: 200)
        } body: { server in
            async let held = withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await offPool { try RawClient(port: server.port).request("POST /", body: [1]).status }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            await gate.arrived(2)
            #expect(server.counts.inFlight == 2)
            try await offPool {
                let client = try RawClient(port: server.port)
                let reply = try client.request("POST /", body: [1])
                expectProblem(reply, 503, "overloaded")
                #expect(reply.headers["retry-after"] == "1")
                // The refusal keeps the connection open.
                #expect(try client.request("GET /").status == 503)
            }
            await gate.open()
            let statuses = try await held
            #expect(statuses == [200, 200])
            #expect(server.counts.refusedRequests == 2)
        }
    }

    @Test func bodiesTogetherAreBounded() async throws {
        try await withServer(limits: .with { $0.bufferedSizeMaxBytes = 50_000 }) { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                let reply = try client.request("POST /", body: [UInt8](repeating: 1, count: 60_000))
                expectProblem(reply, 503, "overloaded")
                // The refusal is read before the connection is closed, which releases the bytes.
                while server.counts.openRequests > 0 { yieldThread() }
                let small = [UInt8](repeating: 1, count: 40_000)
                #expect(try RawClient(port: server.port).request("POST /", body: small).status == 200)
            }
        }
    }

    @Test func drippingClientIsCutWithTimeout() async throws {
        try await withServer(limits: .with { $0.receiveTimeout = .milliseconds(200) }) { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
                // Sends a byte at a time, as fast as the server reads, until the server closes the connection.
                let reply = try client.drip(until: { try client.reply() })
                expectProblem(reply, 408, "timeout")
                #expect(try client.readToEnd().isEmpty)
            }
        }
    }

    @Test func unfinishedHeadersAreCutWithTimeout() async throws {
        try await withServer(limits: .with { $0.receiveTimeout = .milliseconds(100) }) { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send("GET / HTTP/1.1\r\nHost: h\r\nX-Never")
                expectProblem(try client.reply(), 408, "timeout")
            }
        }
    }

    @Test func silentConnectionIsClosedWithoutAWord() async throws {
        try await withServer(limits: .with { $0.idleTimeout = .milliseconds(100) }) { server in
            try await offPool {
                let silent = try RawClient(port: server.port)
                #expect(try silent.readToEnd().isEmpty)
                let once = try RawClient(port: server.port)
                #expect(try once.request("GET /").status == 200)
                #expect(try once.readToEnd().isEmpty)
            }
        }
    }

    @Test func clientThatDoesNotReadIsCut() async throws {
        try await withServer(limits: .with { $0.sendTimeout = .milliseconds(500) }) { _ in
            HTTPResponse(status: 200, body: [UInt8](repeating: 9, count: 30_000_000))
        } body: { server in
            try await offPool {
                let client = try RawClient(port: server.port, receiveBufferBytes: 4096)
                client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try client.streamHead()
                while server.counts.openConnections > 0 { yieldThread() }
            }
        }
    }

    @Test(arguments: [
        "GET /a%00b", "GET /%zz", "GET /a%2", "GET /%ff", "GET /?q=%00", "GET /?%c3=1", "GET relative",
        "GET /a\u{0}b",
    ])
    func brokenTargetIsMalformed(line: String) async throws {
        try await withServer { server in
            let reply = try await offPool { try RawClient(port: server.port).request(line) }
            #expect(reply.status == 400)
            if reply.headers["content-type"] == "application/problem+json" {
                expectProblem(reply, 400, "malformed")
            }
        }
    }

    @Test(arguments: [
        "Content-Length: 3\r\nTransfer-Encoding: chunked", "Content-Length: 3\r\nContent-Length: 4",
        "Transfer-Encoding: gzip, chunked", "Content-Length: +3", "Host: second",
    ])
    func ambiguousFramingIsMalformed(header: String) async throws {
        try await withServer { server in
            let reply = try await offPool {
                let client = try RawClient(port: server.port)
                client.send("POST / HTTP/1.1\r\nHost: h\r\n\(header)\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
                return try client.reply()
            }
            #expect(reply.status == 400)
        }
    }

    @Test func missingHostIsMalformed() async throws {
        try await withServer { server in
            let reply = try await offPool {
                let client = try RawClient(port: server.port)
                client.send("GET / HTTP/1.1\r\n\r\n")
                return try client.reply()
            }
            expectProblem(reply, 400, "malformed")
        }
    }

    @Test(arguments: 0..<20)
    func garbageDoesNotStopTheServer(seed: UInt64) async throws {
        // Connections that wait for more of the noise are closed; a second is ample for the honest request on a busy
        // machine.
        let limits = HTTPServer.Limits.with {
            $0.receiveTimeout = .milliseconds(100)
            $0.idleTimeout = .seconds(1)
        }
        try await withServer(limits: limits) { server in
            try await offPool {
                var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
                let noise = (0..<Int(1 + seed * 997)).map { _ -> UInt8 in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(truncatingIfNeeded: state >> 56)
                }
                let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                let prefixes = ["", "GET ", "POST / HTTP/1.1\r\n", chunked]
                let client = try RawClient(port: server.port)
                client.send(Array(prefixes[Int(seed % 4)].utf8) + noise)
                _ = try? client.readToEnd()
                #expect(try RawClient(port: server.port).request("GET /").status == 200)
            }
        }
    }
}
