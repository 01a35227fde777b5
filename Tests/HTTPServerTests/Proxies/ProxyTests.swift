import HTTPServer
import Synchronization
import Testing

/// The proxies of `deploy/` before the server: they, too, read one message as one request, in every framing.
///
/// Each proxy gives every request that it accepts an id of its own, whatever the client sent. A request without such an
/// id, or with that of another request, was not seen by the proxy: it was smuggled in the content of another.
@Suite(.timeLimit(.minutes(10)))
struct ProxyTests {
    @Test(.enabled(if: Proxy.nginx.program != nil, "There is no nginx here"))
    func nginxAndWeSeeTheSameRequests() async throws { try await seeTheSameRequests(through: .nginx) }

    @Test(.enabled(if: Proxy.haproxy.program != nil, "There is no haproxy here"))
    func haproxyAndWeSeeTheSameRequests() async throws { try await seeTheSameRequests(through: .haproxy) }

    @Test(.enabled(if: Proxy.caddy.program != nil, "There is no caddy here"))
    func caddyAndWeSeeTheSameRequests() async throws { try await seeTheSameRequests(through: .caddy) }

    /// nginx in this configuration reads the whole body first and forwards it with its length.
    @Test(arguments: Proxy.installed)
    func bodyInChunksGetsALengthOrIsAskedForOne(proxy: Proxy) async throws {
        try await withServer { server in
            try await proxy.run(before: server.port) { port in
                let reply = try await offPool {
                    let client = try RawClient(port: port)
                    client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
                    client.send("5\r\nhello\r\n1;name=value\r\n \r\n5\r\nworld\r\n0\r\nTrailer: x\r\n\r\n")
                    return try client.reply()
                }
                switch proxy {
                case .nginx: #expect(reply.status == 200 && reply.text == "hello world", "\(reply)")
                case .caddy, .haproxy:
                    #expect(reply.status == 411 && reply.text.contains("length-required"), "\(reply)")
                }
            }
        }
    }

    @Test(arguments: Proxy.installed)
    func bodiesUpToTheLimitPass(proxy: Proxy) async throws {
        try await withServer { server in
            try await proxy.run(before: server.port) { port in
                let body = [UInt8](repeating: 7, count: HTTPServer.Limits().bodySizeMaxBytes)
                let reply = try await offPool { try RawClient(port: port).request("POST /", body: body) }
                #expect(reply.status == 200 && reply.body == body)
            }
        }
    }

    @Test(arguments: Proxy.installed)
    func eventsPassAsTheyCome(proxy: Proxy) async throws {
        let source = TestSource()
        try await withServer { request in
            if request.path == "/healthz" { return HTTPResponse(status: 200) }
            let headers: HTTPHeaders = ["Content-Type": "text/event-stream", "X-Accel-Buffering": "no"]
            return HTTPResponse(status: 200, headers: headers, body: .stream(source.stream))
        } body: { server in
            try await proxy.run(before: server.port) { port in
                source.put("data: 1\n\n")
                try await offPool {
                    let client = try RawClient(port: port)
                    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    // No later response arrives before this one was read.
                    try client.readPast("data: 1\n\n")
                    source.put("data: 2\n\n")
                    try client.readPast("data: 2\n\n")
                }
                source.finish()
            }
        }
    }

    private struct Seen: Sendable {
        var path: String
        var text: String
        var id: String?
        var forwardedFor: [String]
    }

    private func seeTheSameRequests(through proxy: Proxy) async throws {
        let seen = Mutex<[Seen]>([])
        try await withServer { request in
            // The health checks of HAProxy and Caddy.
            if request.path == "/healthz" { return HTTPResponse(status: 200) }
            let text = "\(request.method.token) \(request.path) \(String(decoding: request.body, as: UTF8.self))"
            let (id, addresses) = (request.headers["X-Request-Id"], request.headers.values(named: "X-Forwarded-For"))
            seen.withLock { $0.append(Seen(path: request.path, text: text, id: id, forwardedFor: addresses)) }
            return HTTPResponse(status: 200, body: Array(request.path.utf8))
        } body: { server in
            try await proxy.run(before: server.port) { port in
                let honest = try await Self.send(Framing.all, to: port)
                for (number, reply) in honest { #expect(reply == "200 /h\(number)") }
            }
        }
        let requests = seen.withLock { $0 }
        let ids = requests.map { $0.id ?? "none" }
        #expect(!ids.contains("none") && Set(ids).count == ids.count, "\(requests)")
        #expect(requests.allSatisfy { $0.forwardedFor == ["127.0.0.1"] })
        for (number, framing) in Framing.all.enumerated() {
            guard case .requests(let expected) = framing.reading else { continue }
            let texts = requests.filter { $0.path == Self.path(number) }.map(\.text)
            let read = expected.map { $0.replacing(Framing.path, with: Self.path(number)) }
            // A proxy may refuse requests that the server would accept.
            #expect(texts == Array(read.prefix(texts.count)), "\(framing.name)")
        }
        // The test would also pass if no request arrived.
        #expect(requests.count > Framing.all.count + 20)
    }

    private static let workers = 16

    /// Sends each framing on a connection of its own, and then an honest request on another one. Returns the responses
    /// to the honest requests, by their numbers.
    private static func send(_ framings: [Framing], to port: Int) async throws -> [(String, String)] {
        try await withThrowingTaskGroup(of: [(String, String)].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    try await offPool {
                        try stride(from: worker, to: framings.count, by: workers).map { number in
                            let digits = Self.path(number).dropFirst(2)
                            // Connections that wait for more bytes are not waited for: a late request is counted, too.
                            let client = try RawClient(port: port, patienceSeconds: 1)
                            client.send(framings[number].bytes(at: Self.path(number)))
                            _ = try? client.readToEnd()
                            let reply = try RawClient(port: port, patienceSeconds: 20).request("GET /h\(digits)")
                            return (String(digits), "\(reply.status) \(reply.text)")
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Returns a path with the length of the one that it replaces, so that lengths remain true.
    private static func path(_ number: Int) -> String {
        "/t" + String(100_00 + number)
    }
}

extension Framing {
    /// Returns the framing with another path of the same length instead of `Framing.path`.
    fileprivate func bytes(at path: String) -> [UInt8] {
        let text = String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        return text.replacing(Framing.path, with: path).unicodeScalars.map { UInt8($0.value) }
    }
}
