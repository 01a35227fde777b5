import HTTPServer
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Synchronization
import Testing
import WireFormats

/// A subject that is too fast is sent the time to wait, loses nothing, and slows nobody else.
@Suite struct RateTests {
    /// Rates of which only one is in the way, by a clock that the test moves.
    private static func limiter(
        _ kind: RateLimits.Kind, _ limit: RateLimit
    ) -> (rates: RateLimiter, pass: @Sendable (Int64) -> Void) {
        var limits = RateLimits()
        for kind in RateLimits.Kind.allCases { limits[kind] = RateLimit(perSecond: 1_000_000, burst: 1_000_000) }
        limits[kind] = limit
        let time = Clock()
        return (RateLimiter(limits, clock: { time.now.withLock { $0 } }), { n in time.now.withLock { $0 += n } })
    }

    private final class Clock: Sendable {
        let now = Mutex<Int64>(0)
    }

    private static let second: Int64 = 1_000_000_000

    @Test func aSubjectThatIsTooFastIsSentTheTimeToWait() async throws {
        let (rates, pass) = Self.limiter(.subject, RateLimit(perSecond: 1, burst: 3))
        try await withTestServer(policy: RequestPolicy(rates: rates)) { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            // Of whatever token.
            let other = try await Person("anna", server)
            for person in [anna, other, anna] { #expect(try await person.request("GET", "spaces").status == 200) }
            let refused = try await other.request("POST", "spaces")
            #expect(refused.isProblem(429, "rate-limited"), "\(refused)")
            #expect(refused.json["limit"] == "subject" && refused["retry-after"] == "1")
            #expect(
                refused["ratelimit-policy"] == "\"subject\";q=3;w=3" && refused["ratelimit"] == "\"subject\";r=0;t=1")
            #expect(try await bela.request("GET", "spaces").status == 200)
            #expect(rates.refusals == ["subject": 1])
            pass(Self.second)
            #expect(try await anna.request("GET", "spaces").json["spaces"].elements.isEmpty)
        }
    }

    @Test func changesAreCountedAndNothingOfWhatIsTooMuchIsStored() async throws {
        let (rates, pass) = Self.limiter(.changes, RateLimit(perSecond: 10, burst: 20))
        try await withTestServer(policy: RequestPolicy(rates: rates)) { server in
            func push(_ count: Int64) async throws -> TestReply {
                try await server.post((1...count).map { .create("SDMeal", .random(), at: moment($0)) })
            }
            #expect(try await push(15).status == 200)
            let before = try await server.contents()
            let refused = try await push(15)
            #expect(refused.isProblem(429, "rate-limited") && refused["retry-after"] == "1", "\(refused)")
            #expect(try await server.contents() == before)
            // Pulling goes on.
            #expect(try await server.send("GET").status == 200)
            pass(Self.second)
            #expect(try await push(15).status == 200)
        }
    }

    @Test func aSpaceHasARateOfItsOwn() async throws {
        let (rates, _) = Self.limiter(.space, RateLimit(perSecond: 1, burst: 2))
        try await withTestServer(policy: RequestPolicy(rates: rates)) { server in
            let anna = try await Person("anna", server)
            let (one, other) = (try await anna.makeSpace(), try await anna.makeSpace())
            for _ in 1...2 { #expect(try await anna.status(in: one).status == 200) }
            #expect(try await anna.status(in: one).json["limit"] == "space")
            #expect(try await anna.status(in: other).status == 200)
            // Who is not in it cannot use it up.
            let bela = try await Person("bela", server)
            for _ in 1...4 { #expect(try await bela.status(in: other).status == 403) }
            #expect(try await anna.status(in: other).status == 200)
        }
    }

    @Test func unknownClientsOfOneAddressWaitAndKnownDevicesDoNot() async throws {
        let (rates, _) = Self.limiter(.address, RateLimit(perSecond: 1, burst: 3))
        try await withTestServer(policy: RequestPolicy(rates: rates)) { server in
            // An unknown client until the server has seen that the token is valid.
            #expect(try await server.send("GET").status == 200)
            for _ in 1...2 {
                #expect(try await server.client().request("GET", "/v1/apps").status == 200)
            }
            for headers in [[], ["Authorization: Bearer nonsense"], ["Authorization: Bearer \(Secret().text)"]] {
                let refused = try await server.client().request("GET", server.path(), headers: headers)
                #expect(refused.isProblem(429, "rate-limited"), "\(refused)")
            }
            #expect(try await server.client().request("GET", "/openapi.json").status == 429)
            #expect(try await server.send("GET").status == 200)
            for path in ["/healthz", "/readyz"] {
                #expect(try await server.client().request("GET", path).status == 200)
            }
        }
    }

    /// A trusted proxy's statement of the client's address counts.
    @Test func behindAProxyEachClientHasItsOwnRate() async throws {
        let (rates, _) = Self.limiter(.address, RateLimit(perSecond: 1, burst: 1))
        try await withTestServer(
            policy: RequestPolicy(rates: rates, proxies: TrustedProxies("127.0.0.0/8") ?? .none)
        ) { server in
            for (client, status) in [("192.0.2.1", 200), ("192.0.2.1", 429), ("192.0.2.2", 200)] {
                let reply = try await server.client().request(
                    "GET", "/v1/apps", headers: ["X-Forwarded-For: 198.51.100.\(Int.random(in: 1...250)), \(client)"])
                #expect(reply.status == status, "\(client)")
            }
        }
    }

    @Test func theFileOfLimitsSaysWhatIsWrongWithIt() async throws {
        let folder = try TemporaryDirectory()
        for (text, word) in [
            (#"{"rates": {"subject": {"perSecond": 0}}}"#, "perSecond"), (#"{"rate": {}}"#, "rates"),
            (#"{"rates": {"subjects": {}}}"#, "subject"), (#"{"rates": {"changes": {"burst": 10}}}"#, "5000"),
            ("[", "strict JSON"),
        ] {
            try folder.write(text.utf8, to: "limits.json")
            let run = try await CommandRun(["serve", "--port", "0", "--limits", "\(folder.path)/limits.json"])
            #expect(run.status == 2 && run.errors.contains(word), "\(run)")
        }
    }
}
