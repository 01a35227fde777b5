import HTTPServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoppingTests {
    @Test func requestInFlightIsFinished() async throws {
        let gate = Gate()
        try await withServer { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: Array("done".utf8))
        } body: { server in
            async let reply = offPool {
                let client = try RawClient(port: server.port)
                let reply = try client.request("GET /")
                #expect(reply.headers["connection"]?.lowercased() == "close")
                return reply
            }
            await gate.arrived(1)
            async let stopped: Void = server.stop()
            // The listening socket is closed to new connections while the request is still held.
            try await offPool {
                while (try? RawClient(port: server.port)) != nil { yieldThread() }
            }
            await gate.open()
            let text = try await reply.text
            #expect(text == "done")
            await stopped
        }
    }

    @Test func responderThatNeverReturnsIsGivenUp() async throws {
        let gate = Gate()
        let isCancelled = Atomic(false)
        try await withServer(limits: .with { $0.stopGrace = .milliseconds(50) }) { _ in
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                isCancelled.store(true, ordering: .relaxed)
            }
            return HTTPResponse(status: 200)
        } body: { server in
            async let bytes = offPool {
                let client = try RawClient(port: server.port)
                client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                return try client.readToEnd()
            }
            await gate.arrived(1)
            await server.stop()
            let received = try await bytes
            #expect(received.isEmpty)
            let wasCancelled = isCancelled.load(ordering: .relaxed)
            #expect(wasCancelled)
            // The late response has no client any more.
            await gate.open()
        }
    }

    @Test func stoppingTwiceIsStoppingOnce() async throws {
        try await withServer { server in
            async let first: Void = server.stop()
            async let second: Void = server.stop()
            _ = await (first, second)
            await server.stop()
            #expect((try? RawClient(port: server.port)) == nil)
        }
    }

    @Test func stopUnderLoadLeavesNothingOver() async throws {
        try await withServer(limits: .with { $0.stopGrace = .milliseconds(20) }) { request in
            for _ in 0..<(request.body.count % 7) { await Task.yield() }
            return HTTPResponse(status: 200, body: request.body)
        } body: { server in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        try? await offPool {
                            let client = try RawClient(port: server.port)
                            let body = [UInt8](repeating: 1, count: number * 991)
                            while true { _ = try client.request("POST /", body: body) }
                        }
                    }
                }
                group.addTask {
                    while server.counts.openConnections < 16 { await Task.yield() }
                    await server.stop()
                }
            }
        }
    }

    @Test func clientMayLeaveWhileTheResponderRuns() async throws {
        let gate = Gate()
        try await withServer { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: [UInt8](repeating: 1, count: 1_000_000))
        } body: { server in
            try await offPool {
                for _ in 0..<8 {
                    try RawClient(port: server.port).send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx")
                }
            }
            await gate.arrived(8)
            await gate.open()
            try await offPool {
                while server.counts.openConnections > 0 { yieldThread() }
                let status = try RawClient(port: server.port).request("GET /").status
                #expect(status == 200)
            }
        }
    }
}
