import Glibc
import Testing

@testable import HTTPServer

/// The thread on which `respond` runs.
@Suite(.timeLimit(.minutes(10)))
struct AnsweringThreadTests {
    /// Returns the thread before and after a suspension.
    private static func threads(_ request: HTTPRequest) async -> HTTPResponse {
        let before = pthread_self()
        await Task.yield()
        return HTTPResponse(status: 200, body: Array("\(before) \(pthread_self())".utf8))
    }

    @Test func shortRequestIsAnsweredWhereItArrived() async throws {
        try await withServer(threads: 1, respond: Self.threads) { server in
            let replies = try await offPool {
                try [nil, 1, EventLoop.shortSizeMaxBytes].map { size in
                    let body = size.map { [UInt8](repeating: 1, count: $0) }
                    return try RawClient(port: server.port).request("POST /", body: body).text
                }
            }
            let threads = Set(replies.flatMap { $0.split(separator: " ") })
            #expect(threads.count == 1)
        }
    }

    @Test func whatMayTakeLongIsAnsweredElsewhere() async throws {
        try await withServer(threads: 1, respond: Self.threads) { server in
            try await offPool {
                let client = try RawClient(port: server.port)
                let loop = try client.request("GET /").text.split(separator: " ")
                let long = [UInt8](repeating: 1, count: EventLoop.shortSizeMaxBytes + 1)
                let replies = [
                    try client.request("POST /", body: long),
                    try client.request(
                        "POST /", headers: ["Content-Encoding: gzip"], body: GzipCompressor().compressed(long)),
                ]
                for reply in replies {
                    #expect(reply.status == 200)
                    #expect(!reply.text.split(separator: " ").contains(loop[0]))
                }
            }
        }
    }

    /// Other requests are served between two steps of a task that never waits.
    @Test func taskThatKeepsYieldingLeavesRoomForOthers() async throws {
        let gate = Gate()
        await gate.open()
        try await withServer(limits: .with { $0.stopGrace = .milliseconds(20) }, threads: 1) { request in
            if request.path == "/yields" {
                await gate.pass()
                while !Task.isCancelled { await Task.yield() }
            }
            return HTTPResponse(status: 200)
        } body: { server in
            try await offPool {
                try RawClient(port: server.port).send("GET /yields HTTP/1.1\r\nHost: test\r\n\r\n")
                return
            }
            await gate.arrived(1)
            try await offPool {
                let status = try RawClient(port: server.port).request("GET /").status
                #expect(status == 200)
            }
        }
    }

    @Test func taskThatOutlivesItsLoopGoesOn() async throws {
        let (gate, end) = (Gate(), Gate())
        try await withServer(limits: .with { $0.stopGrace = .milliseconds(20) }) { _ in
            await gate.pass()
            await end.pass()
            return HTTPResponse(status: 200)
        } body: { server in
            try await offPool {
                try RawClient(port: server.port).send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
                return
            }
            await gate.arrived(1)
            await server.stop()
            await gate.open()
            await end.arrived(1)
            await end.open()
        }
    }
}
