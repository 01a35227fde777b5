import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Browsers as clients: pages of listed origins may call, and read what they need.
@Suite struct CrossOriginTests {
    private static let page = "https://app.example"

    private func withPage(_ body: (TestServer) async throws -> Void) async throws {
        let origins = try #require(CrossOrigins("\(Self.page), http://localhost:3000"))
        try await withTestServer(policy: RequestPolicy(origins: origins), body)
    }

    private func ask(_ server: TestServer, origin: String, method: String? = "POST") async throws -> TestReply {
        try await server.client().request(
            "OPTIONS", server.path(),
            headers: ["Origin: \(origin)", "Access-Control-Request-Headers: authorization,schema-version"]
                + (method.map { ["Access-Control-Request-Method: \($0)"] } ?? []))
    }

    @Test func aListedPageMayCallAndReadAnswers() async throws {
        try await withPage { server in
            let preflight = try await ask(server, origin: Self.page)
            #expect(preflight.status == 204 && preflight["access-control-allow-origin"] == Self.page)
            #expect(preflight["access-control-allow-methods"]?.contains("DELETE") == true)
            let headers = preflight["access-control-allow-headers"]?.lowercased() ?? ""
            for name in ["authorization", "schema-version", "device-id", "outbox-age", "change-mode", "repetitions"] {
                #expect(headers.contains(name), "\(name)")
            }
            // Answers of every kind, also those that refuse.
            for changing in [[:], ["Authorization": nil], ["Schema-Version": "9.9.9"]] as [[String: String?]] {
                let reply = try await server.send("GET", changing: changing.merging(["Origin": Self.page]) { $1 })
                #expect(reply["access-control-allow-origin"] == Self.page, "\(reply)")
                #expect(reply["access-control-expose-headers"]?.contains("Sync-Head") == true)
                #expect(reply["vary"]?.contains("Origin") == true)
                // No cookies: nothing is sent along by the browser.
                #expect(reply["access-control-allow-credentials"] == nil)
            }
        }
    }

    @Test(arguments: ["https://app.example.evil", "http://app.example", "https://app.example:444", "null", "*"])
    func anyOtherPageIsSentNothing(origin: String) async throws {
        try await withPage { server in
            let preflight = try await ask(server, origin: origin)
            #expect(preflight.status == 405 && preflight["access-control-allow-origin"] == nil)
            let reply = try await server.send("GET", changing: ["Origin": origin])
            #expect(reply.status == 200 && reply["access-control-allow-origin"] == nil)
            #expect(reply["vary"]?.contains("Origin") == true)
        }
    }

    /// OPTIONS by itself is no question.
    @Test func withoutOriginsNothingIsSaidOfThem() async throws {
        try await withTestServer { server in
            #expect(try await ask(server, origin: Self.page).status == 405)
            let reply = try await server.send("GET", changing: ["Origin": Self.page])
            #expect(reply["access-control-allow-origin"] == nil && reply["vary"] == nil)
        }
        try await withPage { server in
            let plain = try await ask(server, origin: Self.page, method: nil)
            #expect(plain.status == 405)
        }
    }

    @Test(arguments: ["*", "https://app.example/", "app.example", "https://*.example", ""])
    func whatIsNoOriginIsRefused(text: String) {
        #expect(CrossOrigins(text) == nil)
    }
}
