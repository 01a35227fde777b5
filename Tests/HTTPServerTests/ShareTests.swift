import Synchronization
import Testing

@testable import HTTPServer

/// The shares of holders: one that uses its whole share takes nothing from the others. The holder is the path here.
@Suite(.timeLimit(.minutes(10)))
struct ShareTests {
    private static func holders(
        _ respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) -> @Sendable (HTTPRequest) -> Admission {
        { .admit(Holder($0.path), respond: respond) }
    }

    @Test func requestsOfOneLeaveSlotsToOthers() async throws {
        let gate = Gate()
        let limits = HTTPServer.Limits.with {
            $0.inFlightMax = 3
            $0.inFlightPerHolderMax = 2
        }
        let admit = Self.holders { request in
            if request.path == "/greedy" { await gate.pass() }
            return HTTPResponse(status: 200)
        }
        try await withServer(limits: limits, admit: admit) { server in
            async let held = withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        try await offPool { try RawClient(port: server.port).request("GET /greedy").status }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            await gate.arrived(2)
            try await offPool {
                let refused = try RawClient(port: server.port).request("GET /greedy")
                #expect(refused.status == 503 && refused.headers["retry-after"] == "1")
                #expect(refused.text.contains("2 requests of yours"))
                #expect(try RawClient(port: server.port).request("GET /modest").status == 200)
            }
            await gate.open()
            let released = try await held
            #expect(released == [200, 200])
        }
    }

    @Test func bodiesOfOneLeaveRoomToOthers() async throws {
        let limits = HTTPServer.Limits.with {
            $0.bufferedSizeMaxBytes = 100_000
            $0.bufferedPerHolderMaxBytes = 50_000
        }
        let admit = Self.holders { HTTPResponse(status: 200, body: $0.body) }
        try await withServer(limits: limits, admit: admit) { server in
            try await offPool {
                let greedy = try RawClient(port: server.port)
                greedy.send("POST /greedy HTTP/1.1\r\nHost: h\r\nContent-Length: 50000\r\n\r\n")
                greedy.send([UInt8](repeating: 1, count: 49_999))
                while server.counts.bufferedBytes < 49_999 { yieldThread() }
                let refused = try RawClient(port: server.port).request("POST /greedy", body: [1, 2, 3])
                #expect(refused.status == 503 && refused.text.contains("Bodies of yours hold 50000 bytes"))
                let body = [UInt8](repeating: 1, count: 50_000)
                #expect(try RawClient(port: server.port).request("POST /modest", body: body).body == body)
            }
        }
    }

    @Test func answersThatOneDoesNotReadLeaveRoomToOthers() async throws {
        // More than the kernel buffers of a response.
        let size = 16 << 20
        let limits = HTTPServer.Limits.with {
            $0.bufferedSizeMaxBytes = 4 * size
            $0.bufferedPerHolderMaxBytes = 2 * size
        }
        let admit = Self.holders { _ in HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: size)) }
        try await withServer(limits: limits, admit: admit) { server in
            try await offPool {
                let unread = try (0..<2).map { _ in try RawClient(port: server.port) }
                for client in unread { client.send("GET /greedy HTTP/1.1\r\nHost: h\r\n\r\n") }
                while server.counts.bufferedBytes < 2 * size { yieldThread() }
                let refused = try RawClient(port: server.port).request("GET /greedy")
                #expect(refused.status == 503 && refused.text.contains("not read"))
                #expect(try RawClient(port: server.port).request("GET /modest").body.count == size)
            }
            // The connections are closed, and their bytes released.
            while server.counts.bufferedBytes > 0 { await Task.yield() }
        }
    }

    @Test func streamsOfOneLeaveRoomToOthers() async throws {
        let source = TestSource()
        let limits = HTTPServer.Limits.with {
            $0.streamsMax = 3
            $0.streamsPerHolderMax = 2
        }
        let admit = Self.holders { _ in HTTPResponse(status: 200, body: .stream(source.stream)) }
        try await withServer(limits: limits, admit: admit) { server in
            try await offPool {
                func open(_ path: String) throws -> RawClient {
                    let client = try RawClient(port: server.port)
                    client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try client.streamHead().contains(" 200 "))
                    return client
                }
                var streams = [try open("/greedy"), try open("/greedy")]
                let refused = try RawClient(port: server.port).request("GET /greedy")
                #expect(refused.status == 503 && refused.headers["retry-after"] == "30")
                #expect(refused.text.contains("2 streams"))
                streams.append(try open("/modest"))
                let full = try RawClient(port: server.port).request("GET /other")
                #expect(full.status == 503 && full.text.contains("this server has room for"))
                streams.removeFirst()
                while server.counts.openStreams > 2 { yieldThread() }
                streams.append(try open("/greedy"))
                #expect(server.counts.openStreams == 3)
            }
        }
    }

    @Test func oneWhoSendsMuchWaitsForItself() async throws {
        let gate = Gate()
        let begun = Mutex<[String]>([])
        let admit = Self.holders { request in
            begun.withLock { $0.append(request.query(firstNamed: "n") ?? request.path) }
            if request.path == "/greedy" { await gate.pass() }
            return HTTPResponse(status: 200)
        }
        // Limits that hold on a busy machine, too.
        let limits = HTTPServer.Limits.with {
            ($0.turnsPerHolderMax, $0.turnWaitMax) = (2, .seconds(600))
        }
        try await withServer(limits: limits, admit: admit) { server in
            async let held = offPool {
                let clients = try (0..<5).map { number in
                    let client = try RawClient(port: server.port)
                    client.send("GET /greedy?n=\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                    while number < 4 && server.counts.inFlight <= number { yieldThread() }
                    return client
                }
                return try clients.map { try $0.reply().status }
            }
            await gate.arrived(2)
            try await offPool {
                while server.counts.inFlight < 5 { yieldThread() }
                let status = try RawClient(port: server.port).request("GET /modest").status
                #expect(status == 200)
            }
            let count = begun.withLock { $0.count }
            #expect(count == 3)
            await gate.open()
            let released = try await held
            #expect(released == Array(repeating: 200, count: 5))
            let all = begun.withLock { Set($0) }
            #expect(all == ["0", "1", "2", "3", "4", "/modest"])
        }
    }

    @Test func whoHasWaitedTooLongForItsTurnIsRefused() async throws {
        let gate = Gate()
        let limits = HTTPServer.Limits.with {
            $0.turnsPerHolderMax = 1
            $0.turnWaitMax = .zero
        }
        let admit = Self.holders { _ in
            await gate.pass()
            return HTTPResponse(status: 200)
        }
        try await withServer(limits: limits, admit: admit) { server in
            async let statuses = offPool {
                let clients = try (0..<4).map { number in
                    let client = try RawClient(port: server.port)
                    client.send("GET /greedy HTTP/1.1\r\nHost: h\r\n\r\n")
                    while number < 3 && server.counts.inFlight <= number { yieldThread() }
                    return client
                }
                return try clients.map { try $0.reply().status }
            }
            await gate.arrived(1)
            try await offPool {
                while server.counts.inFlight < 4 { yieldThread() }
            }
            await gate.open()
            let answers = try await statuses
            #expect(answers == [200, 503, 503, 503])
            let after = try await offPool { try RawClient(port: server.port).request("GET /greedy").status }
            #expect(after == 200)
        }
    }

    /// Requests that wait for their turn when the server stops are dropped.
    @Test func whoWaitsWhenTheServerStopsIsGivenUp() async throws {
        let gate = Gate()
        let begun = Atomic(0)
        let limits = HTTPServer.Limits.with {
            $0.turnsPerHolderMax = 1
            $0.stopGrace = .milliseconds(50)
        }
        let admit = Self.holders { _ in
            begun.add(1, ordering: .relaxed)
            await gate.pass()
            return HTTPResponse(status: 200)
        }
        try await withServer(limits: limits, admit: admit) { server in
            try await offPool {
                for number in 0..<3 {
                    let client = try RawClient(port: server.port)
                    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    while server.counts.inFlight <= number { yieldThread() }
                }
            }
            await server.stop()
            await gate.open()
            let count = begun.load(ordering: .relaxed)
            #expect(count == 1)
        }
    }
}
