import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ServingTests {
    @Test func requestReachesTheResponderWhole() async throws {
        try await withServer { request in
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            let text =
                "\(request.method.token) \(request.path) \(request.segments) \(query) "
                + "\(request.headers["x-MIXED"] ?? "-") \(request.headers.values(named: "twice")) "
                + request.remoteAddress
            return HTTPResponse(status: 201, headers: ["X-Answer": "yes"], body: Array(text.utf8))
        } body: { server in
            let reply = try await offPool {
                try RawClient(port: server.port).request(
                    "PUT /a/b%2Fc/%C3%A9?x=1&y=a+b%21&z", headers: ["X-mixed: v", "Twice: 1", "twice: 2"],
                    body: [1, 2, 3])
            }
            #expect(reply.status == 201)
            #expect(reply.headers["x-answer"] == "yes")
            #expect(
                reply.text == #"PUT /a/b%2Fc/%C3%A9 ["a", "b/c", "é"] x=1;y=a b!;z= v ["1", "2"] 127.0.0.1"#)
        }
    }

    @Test(arguments: [0, 1, 1023, 65_537, 5_000_000])
    func bodyComesBackUnchanged(size: Int) async throws {
        try await withServer { server in
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            let reply = try await offPool { try RawClient(port: server.port).request("POST /", body: body) }
            #expect(reply.status == 200)
            #expect(reply.body == body)
        }
    }

    /// libmicrohttpd drops a request whose query items do not fit its connection's memory.
    @Test(arguments: [500, 5000])
    func queryOfManyItemsIsRead(count: Int) async throws {
        try await withServer { request in
            HTTPResponse(status: 200, body: Array("\(request.query.count) \(request.query.map(\.name).joined())".utf8))
        } body: { server in
            let query = Array(repeating: "a=", count: count).joined(separator: "&")
            let reply = try await offPool { try RawClient(port: server.port).request("GET /?\(query)") }
            #expect(reply.text == "\(count) \(String(repeating: "a", count: count))")
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await withServer { server in
            let texts = try await offPool {
                let client = try RawClient(port: server.port)
                var wire = ""
                for number in 0..<50 {
                    wire += "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n\(100 + number)"
                }
                client.send(wire)
                return try (0..<50).map { _ in try client.reply().text }
            }
            #expect(texts == (100..<150).map { "\($0)" })
        }
    }

    @Test func keepAliveConnectionIsReusedAndCloseIsHonoured() async throws {
        try await withServer { server in
            let rest = try await offPool {
                let client = try RawClient(port: server.port)
                for _ in 0..<20 { _ = try client.request("GET /") }
                let reply = try client.request("GET /", headers: ["Connection: close"])
                #expect(reply.headers["connection"]?.lowercased() == "close")
                return try client.readToEnd()
            }
            #expect(rest.isEmpty)
        }
    }

    @Test func headHasTheLengthAndNoBody() async throws {
        try await withServer { _ in
            HTTPResponse(status: 200, body: Array("twelve bytes".utf8))
        } body: { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                let reply = try client.request("HEAD /")
                #expect(reply.status == 200)
                #expect(reply.headers["content-length"] == "12")
                // The connection is in a clean state: the next reply parses.
                #expect(try client.request("GET /").text == "twelve bytes")
            }
        }
    }

    @Test func expectingClientIsAskedToContinue() async throws {
        try await withServer { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
                #expect(try client.reply().status == 100)
                client.send("body")
                #expect(try client.reply().text == "body")
            }
        }
    }

    @Test func olderProtocolNeedsNoHost() async throws {
        try await withServer { server in
            let bytes = try await offPool {
                let client = try RawClient(port: server.port)
                client.send("POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi")
                return try client.readToEnd()
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.") && text.contains(" 200 ") && text.hasSuffix("hi"))
        }
    }

    @Test func manyClientsGetTheirOwnBodies() async throws {
        try await withServer { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        try await offPool {
                            let client = try RawClient(port: server.port)
                            for round in 0..<50 {
                                let body = Array(repeating: "\(number):\(round);", count: 1 + round * 7).joined()
                                #expect(try client.request("POST /", body: Array(body.utf8)).text == body)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.counts.refusedRequests == 0)
        }
    }

    /// libmicrohttpd's own loop hangs when 128 sockets are ready at once.
    @Test(arguments: [127, 128, 129, 200])
    func manyReadyConnectionsAreAllServed(count: Int) async throws {
        try await withServer(threads: 1) { server in
            try await offPool {
                let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
                for round in 0..<20 {
                    for client in clients { client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n") }
                    for client in clients { client.send("\(round % 10)") }
                    for client in clients { #expect(try client.reply().text == "\(round % 10)") }
                }
            }
        }
    }

    @Test func unsendableHeaderIsOurFault() async throws {
        try await withServer { _ in
            HTTPResponse(status: 200, headers: ["X-Split": "a\r\nInjected: b"])
        } body: { server in
            let reply = try await offPool { try RawClient(port: server.port).request("GET /") }
            #expect(reply.status == 500)
            #expect(reply.headers["injected"] == nil)
            #expect(reply.text.contains(#""code":"internal""#))
        }
    }

    @Test func takenPortAndBadAddressAreRefused() async throws {
        try await withServer { server in
            var configuration = HTTPServer.Configuration()
            configuration.port = server.port
            #expect(throws: HTTPServerError.cannotListen(address: "127.0.0.1", port: server.port, code: 98)) {
                try HTTPServer.start(configuration) { _ in .answer(HTTPResponse(status: 200)) }
            }
            configuration.port = 0
            configuration.address = "localhost"
            #expect(throws: HTTPServerError.invalidAddress("localhost")) {
                try HTTPServer.start(configuration) { _ in .answer(HTTPResponse(status: 200)) }
            }
        }
    }
}
