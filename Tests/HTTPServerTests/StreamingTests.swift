import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StreamingTests {
    private static func numbers(_ count: Int, size: Int = 1) -> HTTPResponse.Body {
        .stream(
            HTTPBodyStream(
                AsyncStream { continuation in
                    for number in 0..<count {
                        continuation.yield([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
                    }
                    continuation.finish()
                }))
    }

    @Test(arguments: [(0, 1), (1, 1), (1000, 1), (20, 100_000)])
    func chunksArriveInOrderAndTheConnectionGoesOn(count: Int, size: Int) async throws {
        try await withServer { _ in
            HTTPResponse(status: 200, body: Self.numbers(count, size: size))
        } body: { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                for _ in 0..<3 {
                    let reply = try client.request("GET /", headers: ["Accept-Encoding: gzip"])
                    #expect(reply.headers["transfer-encoding"] == "chunked")
                    #expect(reply.body.count == count * size)
                    #expect(reply.body.enumerated().allSatisfy { Int($1) == ($0 / size) % 256 })
                }
                #expect(try client.request("HEAD /").status == 200)
                #expect(try client.readToEnd().isEmpty)
            }
        }
    }

    @Test func eventIsSentWhenItHappensAndStopEndsTheStream() async throws {
        let (events, continuation) = AsyncStream<[UInt8]>.makeStream()
        try await withServer { _ in
            HTTPResponse(
                status: 200, headers: ["Content-Type": "text/event-stream"], body: .stream(HTTPBodyStream(events)))
        } body: { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.streamHead().contains("text/event-stream"))
                for number in 0..<10 {
                    continuation.yield(Array("data: \(number)\n\n".utf8))
                    #expect(try client.chunk() == Array("data: \(number)\n\n".utf8))
                }
                Task { await server.stop() }
                #expect(try client.chunk() == nil)
            }
        }
    }

    @Test func clientThatLeavesEndsTheStream() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await withServer { _ in
            // Made here, so that nobody but the exchange keeps it: when it is let go, the stream has ended.
            let ending = Ending(of: end)
            // Heartbeats whenever the last one is out, until one finds the client gone.
            let heartbeats = AsyncStream<[UInt8]> {
                withExtendedLifetime(ending) { Array(":\n".utf8) }
            }
            return HTTPResponse(status: 200, body: .stream(HTTPBodyStream(heartbeats)))
        } body: { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try client.streamHead()
            }
            for await _ in ended {}
            #expect(server.counts.inFlight == 0)
        }
    }

    private final class Ending: Sendable {
        private let continuation: AsyncStream<Void>.Continuation

        init(of continuation: AsyncStream<Void>.Continuation) {
            self.continuation = continuation
        }

        deinit { continuation.finish() }
    }
}
