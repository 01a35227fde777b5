import HTTPServer
import Postgres
import SyncTestSupport
import Synchronization
import Testing
import WireFormats

@testable import OpenID
@testable import SyncEngine
@testable import SyncServer

/// People who sign in with an identity provider's token.
@Suite struct SignInTests {
    private static let key = SigningKey("ES256", id: "key")

    private func withProvider(
        _ entry: [String: JSONValue] = [:], now: (@Sendable () -> Timestamp)? = nil,
        _ body: (TestServer, TestIssuer) async throws -> Void
    ) async throws {
        let issuer = try TestIssuer([SignInTests.key])
        do {
            let policy = RequestPolicy(providers: IdentityProviders(try issuer.file(entry)))
            try await withTestServer(now: now, policy: policy) { server in try await body(server, issuer) }
        } catch {
            await issuer.stop()
            throw error
        }
        await issuer.stop()
    }

    private func status(_ token: String, _ server: TestServer, space: String = "me") async throws -> Int {
        let path = server.path(space: space)
        return try await server.send("GET", path, changing: ["Authorization": "Bearer \(token)"]).status
    }

    @Test func aSubjectIsTheSameWhateverItsTokens() async throws {
        try await withProvider { (server, issuer) async throws in
            let meal = ID.random()
            let tokens = [600, 601].map { SignInTests.key.token(issuer.claims("anna", lasting: $0)) }
            let phone = Person("anna", server, token: tokens[0]).device()
            try await phone.push([.create("SDMeal", meal, ["notes": "mine"], at: moment(1))])
            let tablet = Person("anna", server, token: tokens[1]).device("0.0.8")
            try await tablet.pullAll()
            #expect(await tablet.store["SDMeal"]?[meal.description]?["notes"] == "mine")
            // The subject's name is the issuer's, with what it is called by here before it.
            let own = try await Person("test:anna", server).device()
            try await own.pullAll()
            #expect(await own.store["SDMeal"]?.count == 1)
            let other = try await Person("anna", server).device()
            try await other.pullAll()
            #expect(await other.store["SDMeal"] == nil)
        }
    }

    @Test func whatATokenSaysIsAllThatItAllows() async throws {
        let space = ID.random()
        let entry: [String: JSONValue] = [
            "claims": ["spaces": "spaces", "role": ["claim": "scope", "write": ["sync"], "read": ["look"]]]
        ]
        try await withProvider(entry) { (server, issuer) async throws in
            func person(_ claims: [String: JSONValue]) -> Person {
                Person("anna", server, token: SignInTests.key.token(issuer.claims("anna", claims)))
            }
            let granted: [String: JSONValue] = ["scope": "openid sync", "spaces": [.string("\(space)")]]
            try await person(granted).device(in: "\(space)").push([.create("SDMeal", .random(), at: moment(1))])
            let reader = person(["scope": "look", "spaces": [.string("\(space)")]])
            let refused = try await reader.request(
                "POST", "spaces/\(space)/changes", ["changes": [.create("SDMeal", .random(), at: moment(1))]])
            #expect(refused.json["results"].elements.map { $0["code"] } == ["read-only"])
            #expect(try await status(SignInTests.key.token(issuer.claims("anna")), server) == 401)
            let unknown = SignInTests.key.token(issuer.claims("bela", ["scope": "sync"]))
            #expect(try await status(unknown, server, space: "\(space)") == 403)
        }
        try await withProvider(["app": "keeptrack"]) { (server, issuer) async throws in
            #expect(try await status(SignInTests.key.token(issuer.claims("anna")), server) == 403)
        }
    }

    @Test func whatIsNotSignedByTheIssuerIsRefused() async throws {
        try await withProvider { (server, issuer) async throws in
            let good = SignInTests.key.token(issuer.claims("anna"))
            #expect(try await status(good, server) == 200)
            let forger = SigningKey("ES256", id: "key")
            for number in 0..<20 {
                let forged = forger.token(issuer.claims("anna", ["n": .int(Int64(number))]))
                #expect(try await status(forged, server) == 401)
                let ended = SignInTests.key.token(issuer.claims("anna", lasting: -100 - Int64(number)))
                #expect(try await status(ended, server) == 401)
            }
            let problem = try await server.send(
                "GET", server.path(), changing: ["Authorization": "Bearer \(forger.token(issuer.claims("anna")))"])
            #expect(problem.isProblem(401, "unauthenticated") && problem["www-authenticate"] == "Bearer")
        }
    }

    /// An unknown token costs no query: there is no database to ask here.
    @Test func theDatabaseIsAskedOnlyAboutWhomTheIssuerKnows() async throws {
        let issuer = try TestIssuer([SignInTests.key])
        let pool = Pool(try ConnectionString("host=127.0.0.1 port=1 dbname=none"))
        let authenticator = Authenticator(
            pool: pool, apps: ["fitiq"],
            policy: LivePolicy(RequestPolicy(providers: IdentityProviders(try issuer.file()))))
        func grant(_ token: String) async throws -> Grant? {
            guard case .unclear(let token) = authenticator.identity(authorization: "Bearer \(token)") else {
                return nil
            }
            return try await authenticator.lookUp(token, from: "network")?.grant
        }
        let forger = SigningKey("ES256", id: "key")
        #expect(try await grant(forger.token(issuer.claims("anna"))) == nil)
        #expect(try await grant(SignInTests.key.token(issuer.claims("anna", lasting: -100))) == nil)
        await #expect(throws: PGError.self) { _ = try await grant(SignInTests.key.token(issuer.claims("anna"))) }
        await issuer.stop()
        await pool.close()
    }

    @Test func aTokenEndsWhenItSaysAndItsStreamWithIt() async throws {
        let offset = Mutex(Duration.zero)
        let clock: @Sendable () -> Timestamp = { Timestamp.now.adding(offset.withLock(\.self)) }
        try await withProvider(now: clock) { (server, issuer) async throws in
            let token = SignInTests.key.token(issuer.claims("anna", lasting: 30))
            #expect(try await status(token, server) == 200)
            let anna = Person("anna", server, token: token)
            let own = try await anna.request("GET", "spaces").json["spaces"].elements[0]["space"].string
            let reader = try await server.listen(space: own.flatMap { ID($0) }, token: token)
            #expect(try await reader.next() == 0)
            try await server.service.reviewEvents()
            // With the leeway of a minute: 90 s.
            offset.withLock { $0 = .seconds(91) }
            try await server.service.reviewEvents()
            #expect(await reader.ends())
            let late = SignInTests.key.token(issuer.claims("anna", lasting: 29))
            #expect(try await status(late, server) == 401)
        }
    }

    /// A device that was removed is answered so, whoever made its token.
    @Test func membershipsAreThoseOfTheMoment() async throws {
        try await withProvider { (server, issuer) async throws in
            let anna = Person("anna", server, token: SignInTests.key.token(issuer.claims("anna")))
            let bela = Person("bela", server, token: SignInTests.key.token(issuer.claims("bela")))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space)
            #expect(try await bela.status(in: space).status == 200)
            let reader = try await server.listen(space: space, token: bela.token)
            #expect(try await reader.next() == 0)
            #expect(try await anna.request("DELETE", "spaces/\(space)/members/test:bela").status == 204)
            try await server.service.reviewEvents()
            #expect(await reader.ends())
        }
    }

    @Test func whileNobodyCanSayItIsNotRefused() async throws {
        try await withProvider { (server, issuer) async throws in
            issuer.answerKeys(with: HTTPResponse(status: 503))
            let token = SignInTests.key.token(issuer.claims("anna"))
            let answer = try await server.send("GET", server.path(), changing: ["Authorization": "Bearer \(token)"])
            #expect(answer.isProblem(503, "keys-unavailable") && answer["retry-after"] == "5")
            // Own tokens do not need the issuer.
            #expect(try await server.send("GET").status == 200)
        }
    }

    @Test func withoutProvidersNoSuchTokenIsLookedAt() async throws {
        let issuer = try TestIssuer([SignInTests.key])
        try await withTestServer { (server) async throws in
            #expect(try await status(SignInTests.key.token(issuer.claims("anna")), server) == 401)
        }
        #expect(issuer.requests.keys == 0)
        await issuer.stop()
    }

    /// Tokens in use are not forgotten for new ones.
    @Test func theMemoryForgetsWhatIsNotInUse() {
        let memory = SignedInMemory()
        let claims = SignedIn(subject: "s", app: nil, mayWrite: true, spaces: [], issued: .now, ends: .now)
        func hash(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
        func keep(_ number: Int) -> Bool { memory.keep(claims, of: hash(number), since: 0) }
        #expect(keep(-1) && keep(-2))
        for number in 0..<(3 * SignedInMemory.countMax) {
            #expect(keep(number))
            if number.isMultiple(of: 1_000) { #expect(memory.claims(of: hash(-1)) != nil) }
        }
        #expect(memory.claims(of: hash(-1)) != nil && memory.claims(of: hash(-2)) == nil)
        #expect(memory.claims(of: hash(0)) == nil)
        // What was found out before all was forgotten is not kept.
        memory.forget()
        #expect(!keep(-1) && memory.claims(of: hash(-1)) == nil && memory.generation == 1)
    }
}
