import HTTPServer
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests that an unauthenticated client does nothing that others notice. Work is counted here, not time.
@Suite struct UnauthenticatedTests {
    private static let wellFormed = "Bearer \(Secret().text)"

    private static func head(
        _ server: TestServer, _ authorization: String?, length: Int, more: String = "", target: String? = nil
    ) -> String {
        var head = "POST \(target ?? server.path()) HTTP/1.1\r\nHost: test\r\nSchema-Version: 0.1.1\r\n"
        if let authorization { head += "Authorization: \(authorization)\r\n" }
        return head + "\(more)Content-Length: \(length)\r\n\r\n"
    }

    /// 16.4: so nothing of it is decompressed either. Nobody is asked to continue.
    @Test(
        "Who has no valid token is told so before the body is sent",
        arguments: [nil, "Bearer sync_guessed", wellFormed] as [String?],
        ["", "Expect: 100-continue\r\n", "Content-Encoding: zstd\r\n", "Content-Encoding: gzip\r\n"])
    func refusalComesBeforeTheBody(authorization: String?, more: String) async throws {
        var limits = HTTPServer.Limits()
        // Without this a server that waits for the body would be waited for.
        limits.receiveTimeout = .seconds(2)
        try await withTestServer(limits: limits) { server in
            let length = HTTPServer.Limits().bodySizeMaxBytes - 1
            let bytes = Self.head(server, authorization, length: length, more: more)
            let reply = try await server.client().exchange(Array(bytes.utf8))
            #expect(reply.isProblem(401, "unauthenticated"), "\(reply)")
            #expect(reply["www-authenticate"] == "Bearer" && reply["connection"]?.lowercased() == "close")
        }
    }

    @Test(
        "16.3: bodies of unauthenticated clients take no room from others", arguments: [nil, wellFormed] as [String?])
    func bodiesOfUnauthenticatedClientsAreNotKept(authorization: String?) async throws {
        var limits = HTTPServer.Limits()
        limits.bufferedSizeMaxBytes = 1 << 20
        try await withTestServer(limits: limits) { server in
            let size = 64 << 10
            var held: [HeldRequest] = []
            for _ in 0..<34 {
                let request = HeldRequest(port: server.port)
                try await request.send(Self.head(server, authorization, length: size))
                try await request.send([UInt8](repeating: 0x20, count: size - 1))
                held.append(request)
            }
            for _ in 0..<30 { try await server.move() }
            for request in held { #expect(try await request.reply().status == 401) }
        }
    }

    @Test(
        "An endpoint without a token takes no body", arguments: ["/healthz", "/readyz", "/v1/apps", "/v1/apps/fitiq"])
    func whatNeedsNoTokenTakesNoBody(target: String) async throws {
        try await withTestServer { server in
            let head = "GET \(target) HTTP/1.1\r\nHost: test\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n"
            let reply = try await server.client().exchange(Array(head.utf8))
            #expect(reply.status == (target.hasSuffix("z") ? 200 : 413) && reply["connection"]?.lowercased() == "close")
            #expect(try await server.client().request("GET", target).status == 200)
        }
    }

    @Test("16.10: a server whose database hangs and whose slots are all taken answers as alive")
    func healthNeedsNoSlot() async throws {
        var limits = HTTPServer.Limits()
        limits.inFlightMax = 4
        try await withTestServer(limits: limits) { server in
            try await server.move()
            let blocker = try await Session.open(server.database.superuserConnectionString)
            try await blocker.execute("BEGIN")
            try await blocker.execute("LOCK TABLE sync.space IN ACCESS EXCLUSIVE MODE")
            try await withThrowingTaskGroup { group in
                for _ in 0..<limits.inFlightMax { group.addTask { _ = try await server.post([]) } }
                try await eventually("all places are taken") {
                    server.service.counts.http.inFlight == limits.inFlightMax
                }
                for _ in 0..<50 { #expect(try await server.isHealthy()) }
                #expect(try await server.send("GET").isProblem(503, "overloaded"))
                try await blocker.execute("ROLLBACK")
                try await group.waitForAll()
            }
            await blocker.close()
        }
    }

    @Test("16.12: idle sockets keep nobody out")
    func idleSocketsKeepNobodyOut() async throws {
        var limits = HTTPServer.Limits()
        limits.connectionsMax = 8
        try await withTestServer(limits: limits) { server in
            var idle: [HeldRequest] = []
            for number in 0..<20 {
                let request = HeldRequest(port: server.port)
                try await request.send(number.isMultiple(of: 2) ? "G" : "GET / HTTP/1.1\r\nHost: ")
                idle.append(request)
            }
            for _ in 0..<20 { try await server.move() }
        }
    }
}
