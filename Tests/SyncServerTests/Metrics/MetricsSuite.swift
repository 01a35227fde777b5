import HTTPServer
import SyncEngine
import SyncServer
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests that look at a server's metrics.
protocol MetricsSuite {}

extension MetricsSuite {
    /// A server with metrics, and a port for them.
    func withMetrics(_ body: (TestServer, Int) async throws -> Void) async throws {
        let rates = RateLimiter(RateLimits())
        try await withTestServer(policy: RequestPolicy(rates: rates)) { server in
            let metrics = try server.service.serveMetrics(address: "127.0.0.1", port: 0)
            do { try await body(server, metrics.port) } catch { await metrics.stop(); throw error }
            await metrics.stop()
        }
    }

    /// By name and labels, as they are written.
    func samples(_ port: Int, accept: String? = nil) async throws -> [String: Double] {
        let reply = try await TestClient(port: port).request(
            "GET", "/metrics", headers: accept.map { ["Accept: \($0)"] } ?? [])
        #expect(reply.status == 200)
        var samples: [String: Double] = [:]
        for line in reply.text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ")
            samples[String(parts.dropLast().joined(separator: " "))] = parts.last.flatMap { Double($0) }
        }
        return samples
    }

    func load(_ server: TestServer) async throws {
        let meal = ID.random()
        for _ in 1...2 { _ = try await server.post([.create("SDMeal", meal, at: moment(1)), "nonsense"]) }
        for _ in 1...3 { _ = try await server.send("GET") }
        _ = try await server.send("GET", changing: ["Authorization": nil])
        _ = try await server.client().request("GET", "/nowhere")
        _ = try await server.client().request("GET", "/\u{22}odd\u{22}")
    }
}
