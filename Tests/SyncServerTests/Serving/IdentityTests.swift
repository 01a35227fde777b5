import HTTPServer
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Synchronization
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Tests of authentication's cost in database queries, and of what is shared out by subject.
@Suite struct IdentityTests {
    private static func address(_ token: String) -> String { "Bearer \(token)" }

    @Test("16.13: a token that is tried again and again costs one query")
    func unknownTokenIsRemembered() async throws {
        try await withTestServer { server in
            let before = server.service.questions.identity.questions
            let start = ContinuousClock.now
            let client = server.client()
            let headers = server.headers(changing: ["Authorization": Self.address(Secret().text)])
            for _ in 0..<50 {
                let reply = try await client.request("GET", server.path(), headers: headers)
                #expect(reply.status == 401)
            }
            // One each time that it was forgotten.
            let forgotten = Int((ContinuousClock.now - start) / TokenMemory.rememberedFor)
            #expect(server.service.questions.identity.questions - before <= 1 + forgotten)
        }
    }

    @Test(
        "What is no token of ours costs no question",
        arguments: [
            "sync_guessed", "x", String(repeating: "x", count: 48), "sync_" + String(repeating: "=", count: 43),
        ])
    func malformedTokenIsNotLookedUp(token: String) async throws {
        try await withTestServer { server in
            let reply = try await server.send("GET", changing: ["Authorization": Self.address(token)])
            #expect(reply.isProblem(401, "unauthenticated"))
            #expect(server.service.questions.identity.questions == 0)
        }
    }

    @Test("16.13: readiness checks cost one query a second, however many clients send them")
    func readinessIsRemembered() async throws {
        try await withTestServer { server in
            let start = ContinuousClock.now
            let client = server.client()
            for _ in 0..<50 {
                let reply = try await client.request("GET", "/readyz")
                #expect(reply.status == 200)
            }
            let forgotten = Int((ContinuousClock.now - start) / Readiness.rememberedFor)
            #expect(server.service.questions.readiness <= 1 + forgotten)
        }
    }

    @Test func whoAsksTogetherSharesOneQuestion() async throws {
        try await withDatabase { _, pool in
            let readiness = Readiness(pool: pool)
            #expect(readiness.known() == nil)
            await withTaskGroup { group in
                for _ in 0..<100 { group.addTask { #expect(await readiness.ask()) } }
            }
            #expect(readiness.questionCount < 100)
            #expect(readiness.known() == true && readiness.known(at: .now + Readiness.rememberedFor) == nil)
        }
    }

    /// Each waits for its time at most, and no session more is taken.
    @Test func databaseThatDoesNotAnswerIsNotReady() async throws {
        try await withDatabase(sessions: 1) { _, pool in
            let readiness = Readiness(pool: pool, waitMax: .milliseconds(20))
            try await pool.withSession { _ in
                for _ in 0..<10 { #expect(await readiness.ask() == false) }
                #expect(readiness.known() == false && readiness.questionCount == 1)
            }
            try await eventually("it is ready again") {
                if let known = readiness.known() { known } else { await readiness.ask() }
            }
        }
    }

    @Test("16.13: many unknown tokens at once cost a few queries, and one network does not take all slots")
    func unknownTokensAreLookedUpTogether() async throws {
        try await withDatabase { database, pool in
            let authenticator = Authenticator(pool: pool, apps: [])
            let known = try await token(database)
            let identified = try await grant(of: known, authenticator)
            #expect(identified?.subject == "known")
            let before = authenticator.counts.questions
            let blocker = try await Session.open(database.superuserConnectionString)
            try await blocker.execute("BEGIN")
            try await blocker.execute("LOCK TABLE sync.token IN ACCESS EXCLUSIVE MODE")
            let crowd = Authenticator.newTokensPerNetworkMax + 50
            let turnedAway = Tally()
            let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<crowd {
                    group.addTask {
                        let isRefused = try await isRefused(Secret().text, authenticator, from: "a")
                        if isRefused { turnedAway.count.add(1, ordering: .relaxed) }
                        return isRefused
                    }
                }
                // Who has not asked yet when the table is free would find a slot.
                try await eventually("the places of the network are taken, and the others turned away") {
                    authenticator.counts.waiting == Authenticator.newTokensPerNetworkMax
                        && turnedAway.count.load(ordering: .relaxed) == 50
                }
                group.addTask { try await isRefused(Secret().text, authenticator, from: "b") }
                try await eventually("another network has places") {
                    authenticator.counts.waiting == Authenticator.newTokensPerNetworkMax + 1
                }
                try await blocker.execute("ROLLBACK")
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            await blocker.close()
            #expect(refused == 50)
            // The first asks for itself, the others for all that came meanwhile.
            #expect(authenticator.counts.questions - before <= 3)
            #expect(authenticator.counts.waiting == 0)
        }
    }

    @Test func whoIsBusyNeverWaitsAndIsLookedUpBesides() async throws {
        try await withDatabase { database, pool in
            let authenticator = Authenticator(pool: pool, apps: [])
            let token = try await token(database)
            let header = Self.address(token)
            #expect(try await grant(of: token, authenticator) != nil)
            #expect(authenticator.counts.questions == 1)
            for _ in 0..<100 { #expect(authenticator.identity(authorization: header).grant != nil) }
            #expect(authenticator.counts.questions == 1)
            let later = ContinuousClock.now + TokenMemory.refreshedAfter
            #expect(authenticator.identity(authorization: header, now: later).grant != nil)
            try await eventually("it was looked up") { authenticator.counts.questions == 2 }
            // Of one that is not used it is forgotten, but for that it was there.
            let last = ContinuousClock.now + TokenMemory.rememberedFor
            #expect(authenticator.identity(authorization: header, now: last).grant == nil)
        }
    }

    @Test func revokedTokenIsFoundOutByTheNextLookUp() async throws {
        try await withDatabase { database, pool in
            let authenticator = Authenticator(pool: pool, apps: [])
            let token = try await token(database)
            #expect(try await grant(of: token, authenticator) != nil)
            let owner = try await Session.open(database.superuserConnectionString)
            try await owner.execute("UPDATE sync.token SET revoked_at = now()")
            let later = ContinuousClock.now + TokenMemory.refreshedAfter
            _ = authenticator.identity(authorization: Self.address(token), now: later)
            try await eventually("nobody is let in by it") {
                if case .unknown = authenticator.identity(authorization: Self.address(token)) { true } else { false }
            }
            await owner.close()
        }
    }

    @Test("A token works at once if nobody has tried it before")
    func newTokenWorksAtOnce() async throws {
        try await withTestServer { server in
            for _ in 0..<5 {
                let token = try await server.makeToken(role: .read, spaces: [server.space])
                let reply = try await server.send("GET", changing: ["Authorization": Self.address(token)])
                #expect(reply.status == 200)
            }
        }
    }

    @Test("16.12: one subject's streams leave room to others, by whatever tokens it opens them")
    func streamsAreSharedOut() async throws {
        var limits = HTTPServer.Limits()
        limits.streamsPerHolderMax = 2
        try await withTestServer(limits: limits) { server in
            let second = try await server.makeToken(role: .read, spaces: [server.space], subject: "greedy")
            let first = try await server.makeToken(role: .read, spaces: [server.space], subject: "greedy")
            let readers = [try await server.listen(token: first), try await server.listen(token: second)]
            for token in [first, second] {
                let refused = try await server.send(
                    "GET", server.path("events"), changing: ["Authorization": Self.address(token)])
                #expect(refused.isProblem(503, "overloaded") && refused["Retry-After"] == "30")
            }
            let other = try await server.listen()
            #expect(try await other.next() == 0)
            await readers[0].leave()
            try await eventually("the place is free") { server.service.counts.events.listeners == 2 }
            #expect(try await server.listen(token: first).next() == 0)
        }
    }

    @Test("16.3: bodies of one subject leave room to others")
    func bodiesAreSharedOut() async throws {
        var limits = HTTPServer.Limits()
        limits.bufferedSizeMaxBytes = 1 << 20
        limits.bufferedPerHolderMaxBytes = 256 << 10
        try await withTestServer(limits: limits) { server in
            let greedy = try await server.makeToken(spaces: [server.space], subject: "greedy")
            let size = 64 << 10
            let head = """
                POST \(server.path()) HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(greedy)\r
                Schema-Version: 0.1.1\r\nContent-Length: \(size)\r\n\r\n
                """
            var held: [HeldRequest] = []
            for _ in 0..<34 {
                let request = HeldRequest(port: server.port)
                try await request.send(head)
                try await request.send([UInt8](repeating: 0x20, count: size - 1))
                held.append(request)
            }
            for _ in 0..<30 { try await server.move() }
            try await eventually("nothing is held but the share") {
                server.service.counts.http.bufferedBytes <= limits.bufferedPerHolderMaxBytes
            }
        }
    }

    private func withDatabase(
        sessions: Int = 4, _ body: (TestDatabase, Pool) async throws -> Void
    ) async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let pool = Pool(
                database.connectionString, role: "syncserver_serving", limits: .patient(sessionsMax: sessions))
            let result: Result<Void, any Error>
            do { result = .success(try await body(database, pool)) } catch { result = .failure(error) }
            await pool.close()
            try result.get()
        }
    }

    private func token(_ database: TestDatabase) async throws -> String {
        let secret = Secret()
        let session = try await database.session()
        let grant = Grant(app: nil, subject: "known", role: .write, spaces: [.random()])
        try await session.transaction { session in try TokenStore.add(secret, grant, session) }
        await session.close()
        return secret.text
    }

    private func grant(of token: String, _ authenticator: Authenticator) async throws -> Grant? {
        switch authenticator.identity(authorization: Self.address(token)) {
        case .known(let bearer): bearer.grant
        case .unknown: nil
        case .unclear(let token): try await authenticator.lookUp(token, from: "network")?.grant
        }
    }

    private func isRefused(
        _ token: String, _ authenticator: Authenticator, from network: String
    ) async throws -> Bool {
        let identity = authenticator.identity(authorization: Self.address(token))
        guard case .unclear(let token) = identity else { return false }
        do {
            #expect(try await authenticator.lookUp(token, from: network) == nil)
            return false
        } catch PGError.poolOverloaded {
            return true
        }
    }
}

/// Counts in tasks side by side.
private final class Tally: Sendable {
    let count = Atomic(0)
}

extension Authenticator.Identity {
    fileprivate var grant: Grant? {
        if case .known(let bearer) = self { bearer.grant } else { nil }
    }
}
