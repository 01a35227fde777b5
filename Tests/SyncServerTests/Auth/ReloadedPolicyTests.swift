import HTTPServer
import OpenID
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncServer

/// Another policy while requests are served: what it takes away is gone, and what it leaves goes on.
@Suite struct ReloadedPolicyTests {
    private static let key = SigningKey("ES256", id: "key")

    private func status(_ token: String, _ server: TestServer) async throws -> Int {
        try await server.send("GET", server.path(space: "me"), changing: ["Authorization": "Bearer \(token)"]).status
    }

    /// Whose token was being looked up while its provider was taken out was let in for as long as it lived.
    @Test func aProviderThatIsTakenOutLetsNobodyInWhoWaited() async throws {
        let (gone, staying) = (try TestIssuer([Self.key]), try TestIssuer([Self.key]))
        let ofStaying: [String: JSONValue] = ["subjectPrefix": "other:"]
        let both = try [gone.file(), staying.file(ofStaying)].flatMap(\.issuers).map { IssuerKeys($0) }
        let policy = RequestPolicy(providers: IdentityProviders(both))
        try await withTestServer(policy: policy) { server in
            let tokens = (1...3).map { Self.key.token(gone.claims("anna", lasting: Int64(600 + $0))) }
            let kept = Self.key.token(staying.claims("bela"))
            #expect(try await status(kept, server) == 200)
            let holder = try await Session.open(server.database.superuserConnectionString)
            try await holder.execute("BEGIN")
            try await holder.execute("LOCK TABLE sync.member")
            let asking = Task {
                await withTaskGroup { group in
                    for token in tokens { group.addTask { _ = try? await status(token, server) } }
                }
            }
            try await eventually("a token waits for its look-up") { server.service.questions.identity.waiting > 0 }
            try await server.service.adopt(
                RequestPolicy(providers: IdentityProviders(try staying.file(ofStaying))))
            await holder.close()
            await asking.value
            for token in tokens {
                try await eventually("it lets in no more") { try await status(token, server) == 401 }
            }
            #expect(try await status(kept, server) == 200)
        }
        for issuer in [gone, staying] { await issuer.stop() }
    }

    /// Whoever has sent too much does not get another burst because something else was changed.
    @Test func metersOfRatesThatStayGoOn() throws {
        var limits = RateLimits()
        limits[.token] = RateLimit(perSecond: 1, burst: 1)
        let live = LivePolicy(RequestPolicy(rates: RateLimiter(limits, clock: { 0 })))
        try live.current.rates?.take(.token, of: "a")
        #expect(throws: Problem.self) { try live.current.rates?.take(.token, of: "a") }
        limits[.subject] = RateLimit(perSecond: 7, burst: 7)
        _ = live.adopt(RequestPolicy(rates: RateLimiter(limits)))
        #expect(live.current.rates?.limits == limits)
        #expect(throws: Problem.self) { try live.current.rates?.take(.token, of: "a") }
        #expect(live.current.rates?.refusals["token"] == 2)
        // What has changed begins anew.
        limits[.token] = RateLimit(perSecond: 1, burst: 2)
        _ = live.adopt(RequestPolicy(rates: RateLimiter(limits)))
        try live.current.rates?.take(.token, of: "a")
    }
}
