import DemoApps
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// An invitation is good once, for a while, for whoever has its secret.
@Suite struct InvitationTests {
    @Test func ofManyWhoAcceptAtTheSameTimeOneJoins() async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let space = try await anna.makeSpace()
            let secret = try await anna.invite(to: space)
            let statuses = try await withThrowingTaskGroup { group in
                for index in 0..<8 {
                    group.addTask { try await Person("guest \(index)", server).accept(secret).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 404 } == 7, "\(statuses)")
            #expect(try await anna.request("GET", "spaces/\(space)/members").json["members"].elements.count == 2)
        }
    }

    @Test func oneThatIsNotGoodIsLikeOneThatNeverWas() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            let (expired, withdrawn) = (try await anna.invite(to: space), try await anna.invite(to: space))
            let session = try await server.database.session()
            try await session.execute(
                """
                UPDATE sync.invitation SET expires_at = now() - interval '1 s'
                WHERE made_at = (SELECT min(made_at) FROM sync.invitation)
                """)
            await session.close()
            let listed = try await anna.request("GET", "spaces/\(space)/invitations").json["invitations"].elements
            #expect(listed.count == 1 && listed[0]["secret"].isNull)
            let id = try #require(listed[0]["invitation"].string)
            #expect(try await anna.request("DELETE", "spaces/\(space)/invitations/\(id)").status == 204)
            let guessed = Secret(.invitation).text
            let answers = try await [expired, withdrawn, guessed, "", anna.token].asyncReplies {
                try await bela.accept($0)
            }
            #expect(answers.allSatisfy { $0.isProblem(404, "invitation-unknown") }, "\(answers)")
            #expect(Set(answers.map(\.body)).count == 1)
        }
    }

    /// The secret alone is worth nothing in another app.
    @Test func itIsForItsApp() async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let bela = try await Person("bela", server, app: KeepTrackPlan.app)
            let secret = try await anna.invite(to: anna.makeSpace())
            let sharing = SpaceSharing(app: KeepTrackPlan.app, databases: server.service.databases)
            await #expect(throws: SharingError.noSuchInvitation) {
                try await sharing.accept(
                    Secret(presented: secret), by: Actor("bela", token: Secret(presented: bela.token).hash))
            }
        }
    }

    @Test func whoIsMoreAlreadyStaysThatAndLeavesItToOthers() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            let secret = try await anna.invite(to: space, as: "reader")
            let own = try await anna.accept(secret)
            #expect(own.status == 200 && own.json["role"] == "owner")
            let hers = try await bela.accept(secret)
            #expect(hers.status == 200 && hers.json["role"] == "reader")
            // And an invitation may make more of a member.
            let more = try await bela.accept(anna.invite(to: space, as: "owner"))
            #expect(more.json["role"] == "owner")
        }
    }

    /// An invitation grants no more than its author may grant when it is accepted.
    @Test(arguments: ["removed", "a reader", "gone", "removed and back"])
    func whatSomebodyOfferedWhoIsNoOwnerAnyMoreIsVoid(what: String) async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let clea = try await Person("clea", server)
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space, as: "owner")
            let secret = try await bela.invite(to: space, as: "owner")
            // As one that a server of the release before left behind.
            let kept = Secret(.invitation)
            switch what {
            case "a reader":
                #expect(try await anna.request("PUT", "spaces/\(space)/members/bela", ["role": "reader"]).status == 200)
            case "gone": #expect(try await bela.request("DELETE", "spaces/\(space)/members/bela").status == 204)
            default: #expect(try await anna.request("DELETE", "spaces/\(space)/members/bela").status == 204)
            }
            let listed = try await anna.request("GET", "spaces/\(space)/invitations").json["invitations"].elements
            #expect(listed.isEmpty)
            let session = try await Session.open(server.database.superuserConnectionString)
            try await session.execute(
                Command(
                    """
                    INSERT INTO sync.invitation (space_id, app, secret_hash, role, made_by, expires_at)
                    VALUES ($1, 'fitiq', $2, 'owner', 'bela', now() + interval '1 day')
                    """, [.id(space), .bytes(kept.hash)]))
            await session.close()
            if what == "removed and back" { try await anna.bring(bela, to: space, as: "editor") }
            for secret in [secret, kept.text] {
                #expect(try await clea.accept(secret).isProblem(404, "invitation-unknown"))
                #expect(try await bela.accept(secret).isProblem(404, "invitation-unknown"))
            }
            #expect(try await anna.request("DELETE", "spaces/\(space)/members/anna").isProblem(409, "last-owner"))
        }
    }

    @Test func thereAreOnlySoManyAndSoManyMembers() async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let space = try await anna.makeSpace()
            for _ in 0..<SpaceSharing.invitationsMax { _ = try await anna.invite(to: space) }
            let reply = try await anna.request("POST", "spaces/\(space)/invitations", ["role": "reader"])
            #expect(reply.isProblem(409, "too-many"), "\(reply)")
            let sharing = SpaceSharing(app: server.plan.app, databases: server.service.databases)
            let other = try await anna.makeSpace()
            let secret = try await anna.invite(to: other)
            for index in 1..<Quotas().members { try await sharing.set("guest \(index)", to: .reader, in: other) }
            #expect(try await Person("bela", server).accept(secret).isProblem(409, "too-many"))
            // The invitation is still good.
            try await sharing.remove("guest 1", from: other)
            #expect(try await Person("bela", server).accept(secret).status == 200)
        }
    }

    @Test(arguments: [
        #"{"role": "king"}"#, #"{"role": "reader", "lifetime": 0}"#, #"{"role": "reader", "lifetime": 2592001}"#,
        #"{"role": "reader", "until": 5}"#, #"{"lifetime": 5}"#, "[]", "",
    ])
    func aRequestForOneThatCannotBeIsMalformed(body: String) async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let space = try await anna.makeSpace()
            let reply = try await TestClient(port: server.port).request(
                "POST", "/v1/apps/fitiq/spaces/\(space)/invitations",
                headers: ["Authorization: Bearer \(anna.token)"], body: Array(body.utf8))
            #expect(reply.isProblem(400, "malformed"), "\(reply)")
        }
    }
}

extension Sequence<String> {
    fileprivate func asyncReplies(_ transform: (String) async throws -> TestReply) async throws -> [TestReply] {
        var replies: [TestReply] = []
        for element in self { replies.append(try await transform(element)) }
        return replies
    }
}
