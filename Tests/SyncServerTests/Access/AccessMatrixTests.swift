import HTTPServer
import PlantedBugs
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing

/// Nobody gets at a space who may not: whatever the endpoint, whoever asks.
@Suite struct AccessMatrixTests {
    @Test func everyEndpointAsksWhoMay() async throws {
        try await withTestServer { server in
            let breaches = try await AccessMatrix(server, port: server.port).breaches()
            #expect(breaches.isEmpty, "\(breaches.joined(separator: "\n"))")
        }
    }

    /// Each rule is of an endpoint that is there.
    @Test func noRuleIsLeftOver() {
        let names = RouteTable.all.map { "\($0.method.token) \($0.path)" }
        #expect(Set(AccessRule.all.keys).subtracting(names).isEmpty)
        #expect(Set(names).count == names.count)
    }

    @Test func anEndpointWithoutACheckIsFound() async throws {
        try await withTestServer { server in
            let process = ServerProcess()
            let port = try await process.start(
                server.database.servingConnectionString, planting: .accessUnchecked)
            let breaches = try await AccessMatrix(server, port: port).breaches()
            await process.kill9()
            let path = "GET /v1/apps/{app}/spaces/{space}/changes"
            #expect(breaches.contains { $0.hasPrefix("\(path), foreign space: an editor got 200") }, "\(breaches)")
            #expect(breaches.allSatisfy { $0.hasPrefix(path) }, "\(breaches)")
        }
    }
}
