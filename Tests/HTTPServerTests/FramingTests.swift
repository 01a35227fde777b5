import HTTPServer
import Synchronization
import Testing

/// The framing of requests. A framing that two recipients read differently makes two requests of one (RFC 9112, section
/// 11.2). So each has only one reading, and all others are refused.
@Suite(.timeLimit(.minutes(10)))
struct FramingTests {
    @Test(arguments: Framing.all)
    func isReadInOneWay(framing: Framing) async throws {
        let seen = Mutex<[String]>([])
        // A shorter time-out than the default, so that faults which keep the server waiting end sooner.
        try await withServer(limits: .with { $0.idleTimeout = .seconds(20) }) { request in
            let text = "\(request.method.token) \(request.path) \(String(decoding: request.body, as: UTF8.self))"
            seen.withLock { $0.append(text) }
            return HTTPResponse(status: 200)
        } body: { server in
            let port = server.port
            switch framing.reading {
            case .requests(let requests):
                let statuses = try await offPool {
                    let client = try RawClient(port: port)
                    client.send(framing.bytes)
                    let statuses = try requests.map { _ in try client.finalReply().status }
                    // Any response to the bytes before comes before the response to this request.
                    client.send("GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                    _ = try? client.readToEnd()
                    return statuses
                }
                #expect(statuses == requests.map { _ in 200 })
                #expect(seen.withLock { $0.filter { $0 != "GET /last " } } == requests)
            case .refused(let statuses):
                let (reply, rest) = try await offPool {
                    let client = try RawClient(port: port)
                    client.send(framing.bytes)
                    return (try client.finalReply(), try client.readToEnd())
                }
                #expect(statuses.contains(reply.status), "\(reply)")
                #expect(reply.headers["connection"]?.lowercased() == "close")
                // libmicrohttpd sends the head of some of its own refusals twice.
                #expect(rest.isEmpty || reply.headers["content-type"] == nil)
                #expect(seen.withLock { $0 } == [])
            case .closed:
                let answer = try await offPool {
                    let client = try RawClient(port: port)
                    client.send(framing.bytes)
                    client.finishSending()
                    return try client.readToEnd()
                }
                #expect(answer.isEmpty)
                #expect(seen.withLock { $0 } == [])
            }
        }
    }

    /// The head is checked in libmicrohttpd's receive buffer, wherever the pieces end and however the buffer grew.
    @Test(arguments: [1, 7, 1000, 1_000_000])
    func headMayComeInPieces(size: Int) async throws {
        try await withServer { request in
            HTTPResponse(status: 200, body: Array("\(request.headers.count) \(request.query.count)".utf8))
        } body: { server in
            let replies = try await offPool {
                let client = try RawClient(port: server.port)
                return try (0..<3).map { _ in
                    let query = (0..<300).map { "a\($0)=b" }.joined(separator: "&")
                    let headers = (0..<200).map { "X-\($0): \(String(repeating: "y", count: 50))\r\n" }.joined()
                    let wire = Array("GET /?\(query) HTTP/1.1\r\nHost: h\r\n\(headers)\r\n".utf8)
                    for start in stride(from: 0, to: wire.count, by: size) {
                        client.send(Array(wire[start..<min(start + size, wire.count)]))
                    }
                    return try client.reply()
                }
            }
            for reply in replies { #expect(reply.status == 200 && reply.text == "201 300", "\(reply)") }
        }
    }

    @Test func namesAreToldApart() {
        #expect(Framing.all.count > 150)
        #expect(Set(Framing.all.map(\.name)).count == Framing.all.count)
    }
}

extension RawClient {
    /// Returns the next response that is not an interim one.
    func finalReply() throws -> Reply {
        while true {
            let reply = try reply()
            if reply.status >= 200 { return reply }
        }
    }
}
