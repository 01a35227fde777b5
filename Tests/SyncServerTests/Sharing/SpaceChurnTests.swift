import OpenID
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Spaces that come and go cost what their number says.
@Suite struct SpaceChurnTests {
    private func withQuota(_ spaces: Int, _ body: (TestServer) async throws -> Void) async throws {
        var quotas = Quotas()
        quotas.spaces = spaces
        try await withTestServer(policy: RequestPolicy(quotas: quotas)) { server in try await body(server) }
    }

    @Test func manyRequestsAtOnceDoNotPassTheQuota() async throws {
        try await withQuota(5) { (server) async throws in
            let persons = try await [Person("anna", server), Person("anna", server)]
            let statuses = try await withThrowingTaskGroup { group in
                for index in 0..<16 {
                    let person = persons[index % 2]
                    group.addTask { try await person.request("POST", "spaces").status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 5 && statuses.count { $0 == 409 } == 11, "\(statuses)")
            // Those that one is invited to are among them.
            let bela = try await Person("bela", server)
            let secret = try await bela.invite(to: bela.makeSpace())
            #expect(try await persons[0].accept(secret).isProblem(409, "too-many"))
        }
    }

    @Test func whatOneErasedCountsForADay() async throws {
        try await withQuota(3) { (server) async throws in
            let anna = try await Person("anna", server)
            for _ in 0..<3 {
                let space = try await anna.makeSpace()
                #expect(try await anna.request("DELETE", "spaces/\(space)").status == 200)
            }
            #expect(try await anna.request("POST", "spaces").isProblem(409, "too-many"))
            try await server.administer("UPDATE sync.erasure SET begun_at = begun_at - interval '25 h'")
            #expect(try await anna.request("POST", "spaces").status == 201)
        }
    }

    /// A client needs its personal space to begin, so that comes on top of the quota, but not again and again.
    @Test func thePersonalSpaceIsOneOfThem() async throws {
        try await withQuota(3) { (server) async throws in
            let anna = try await Person("anna", server)
            for _ in 0..<3 { _ = try await anna.makeSpace() }
            let spaces = try await (0..<6).asyncMap { _ in
                let reply = try await anna.status(in: "me")
                let mine = try await anna.request("GET", "spaces").json["spaces"].elements
                if let personal = mine.first(where: { $0["personal"] == true })?["space"].string {
                    #expect(try await anna.request("DELETE", "spaces/\(personal)").status == 200)
                }
                return reply
            }
            #expect(spaces.map(\.status) == [200, 409, 409, 409, 409, 409], "\(spaces)")
            #expect(spaces[1].isProblem(409, "too-many"))
            try await server.administer("UPDATE sync.erasure SET begun_at = begun_at - interval '25 h'")
            #expect(try await anna.status(in: "me").status == 200)
        }
    }

    /// Tokens of providers are not in the database; so where they may name spaces, none is begun again.
    @Test func whereProvidersNameSpacesNoMarkGoes() async throws {
        let key = SigningKey("ES256", id: "key")
        let issuer = try TestIssuer([key])
        let policy = RequestPolicy(
            providers: IdentityProviders(try issuer.file(["claims": ["spaces": "spaces"]])))
        try await withTestServer(policy: policy) { (server) async throws in
            let anna = try await Person("anna", server)
            let space = try await anna.makeSpace()
            let token = key.token(issuer.claims("guest", ["spaces": [.string("\(space)")]], lasting: 600))
            let guest = Person("test:guest", server, token: token)
            try await guest.device(in: "\(space)").push([.create("SDMeal", .random(), at: moment(1))])
            #expect(try await anna.request("DELETE", "spaces/\(space)").status == 200)
            try await server.administer(
                "UPDATE sync.erasure SET begun_at = begun_at - interval '40 d', ended_at = ended_at - interval '40 d'")
            _ = try await server.service.collect(olderThan: Collector.ageDefault)
            #expect(try await guest.status(in: space).isProblem(410, "space-erased"))
        }
        await issuer.stop()
    }

    /// The database keeps that an erased space existed; of one that its members had, only for a month.
    @Test func anErasedSpacesMarkSaysNothingAndGoes() async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let (space, named) = (try await anna.makeSpace(), try await anna.makeSpace())
            _ = try await server.makeToken(spaces: [named], subject: "operator's")
            for one in [space, named] {
                try await anna.device(in: "\(one)").push([.create("SDMeal", .random(), at: moment(1))])
                #expect(try await anna.request("DELETE", "spaces/\(one)").status == 200)
            }
            let session = try await Session.open(server.database.superuserConnectionString)
            let marks = try await session.execute(
                """
                SELECT concat_ws(' ', extract(epoch FROM created_at)::bigint, head, horizon, swept, cleared, records,
                    bytes, record_size, judged, clamped, rights)
                FROM sync.space WHERE level = 2147483647
                """)
            let texts = (0..<marks.count).map { marks.string($0, 0) }
            #expect(texts == Array(repeating: "0 0 0 0 0 0 0 0 f f -1", count: 2))
            let erasing = Erasing(app: server.plan.app, databases: server.service.databases)
            let now = try await session.execute("SELECT now()").timestamp(0, 0)
            let day = Duration.seconds(24 * 3600)
            try await erasing.forgetErasures(at: now.adding(day * 29), on: session)
            #expect(try await session.execute("SELECT count(*) FROM sync.erasure").int(0, 0) == 2)
            try await erasing.forgetErasures(at: now.adding(day * 31), on: session)
            // A token still names the other.
            let left = try await session.execute("SELECT space_id FROM sync.erasure")
            #expect(left.count == 1 && left.id(0, 0) == named)
            let kept = try await session.execute("SELECT count(*) FROM sync.space WHERE level = 2147483647")
            #expect(kept.int(0, 0) == 1)
            await session.close()
            #expect(try await anna.status(in: space).isProblem(403, "not-a-member"))
        }
    }
}
