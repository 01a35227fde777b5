import OpenID
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests of spaces whose members delete their accounts, several at once, and that nothing comes back.
@Suite struct AccountTests {
    @Test func ofTwoOwnersWhoGoAtTheSameTimeOneStays() async throws {
        try await withTestServer { server in
            for round in 0..<12 {
                let anna = try await Person("anna \(round)", server)
                let bela = try await Person("bela \(round)", server)
                let clea = try await Person("clea \(round)", server)
                let space = try await anna.makeSpace()
                try await anna.bring(bela, to: space, as: "owner")
                try await anna.bring(clea, to: space)
                async let one = anna.request("DELETE", "account")
                async let other = bela.request("DELETE", "account")
                let statuses = try await [one.status, other.status].sorted()
                #expect(statuses == [200, 409])
                let members = try await clea.request("GET", "spaces/\(space)/members").json["members"].elements
                #expect(members.map { $0["role"] } == ["owner", "editor"], "round \(round)")
            }
        }
    }

    @Test func whoJoinsWhileTheOwnerGoesKeepsTheSpaceOrIsNotInIt() async throws {
        try await withTestServer { server in
            var joined = 0
            for round in 0..<12 {
                let anna = try await Person("anna \(round)", server)
                let bela = try await Person("bela \(round)", server)
                let space = try await anna.makeSpace()
                let meal = ID.random()
                try await anna.device(in: "\(space)").push([.create("SDMeal", meal, at: moment(1))])
                let secret = try await anna.invite(to: space, as: round.isMultiple(of: 2) ? "owner" : "editor")
                async let going = anna.request("DELETE", "account")
                async let coming = bela.accept(secret)
                let (gone, came) = try await (going, coming)
                if came.status == 200 {
                    joined += 1
                    // An owner took the role, or the space needs its owner still.
                    #expect(gone.status == (round.isMultiple(of: 2) ? 200 : 409), "\(gone)")
                    let device = bela.device(in: "\(space)")
                    try await device.pullAll()
                    #expect(await device.store["SDMeal"]?.keys.contains(meal.description) == true)
                } else {
                    #expect(gone.status == 200 && came.isProblem(404, "invitation-unknown"), "\(gone) \(came)")
                    #expect(try await bela.status(in: space).status == 403)
                }
            }
            print("\(joined) of 12 joined before the owner went")
        }
    }

    /// A space of the account's list may be gone when its turn comes.
    @Test func whoGoesWhileAnotherOwnerErasesTheirSpacesIsGone() async throws {
        try await withTestServer { server in
            for round in 0..<6 {
                let (anna, bela) = (
                    try await Person("anna \(round)", server), try await Person("bela \(round)", server)
                )
                let spaces = try await (0..<8).asyncMap { _ in try await anna.makeSpace() }
                for space in spaces { try await anna.bring(bela, to: space, as: "owner") }
                async let going = anna.request("DELETE", "account")
                for space in spaces.reversed() {
                    #expect(try await bela.request("DELETE", "spaces/\(space)").status == 200)
                }
                let gone = try await going
                #expect(gone.status == 200, "round \(round): \(gone)")
            }
        }
    }

    /// With several tokens, each of which is remembered.
    @Test func whatIsErasedGetsNothingAnyMore() async throws {
        try await withTestServer { server in
            let (anna, tablet) = (try await Person("anna", server), try await Person("anna", server))
            let bela = try await Person("bela", server)
            let space = try await anna.makeSpace()
            let secret = try await anna.invite(to: space, as: "owner")
            for person in [anna, tablet] { #expect(try await person.status(in: space).status == 200) }
            #expect(try await anna.request("DELETE", "spaces/\(space)").status == 200)
            let invitation = try await tablet.request("POST", "spaces/\(space)/invitations", ["role": "owner"])
            #expect(invitation.isProblem(403, "not-a-member"), "\(invitation)")
            #expect(try await bela.accept(secret).isProblem(404, "invitation-unknown"))
            #expect(try await bela.request("GET", "spaces").json["spaces"].elements == [])
            let set = try await CommandRun(
                [
                    "member", "set", "--app", "fitiq", "--space", "\(space)", "--subject", "bela", "--role", "owner",
                ], database: server.database.connectionString)
            #expect(set.status != 0 && set.errors.contains("erased"), "\(set)")
            // Nor by SQL.
            for (table, values) in [
                ("member (space_id, app, subject, role)", "'bela', 'owner'"),
                (
                    "invitation (space_id, app, made_by, role, secret_hash, expires_at)",
                    "'bela', 'owner', sha256('x'), now() + interval '1 day'"
                ),
            ] {
                let insert = Statement(unchecked: "INSERT INTO sync.\(table) VALUES ($1, 'fitiq', \(values))")
                let session = try await Session.open(server.database.superuserConnectionString)
                await #expect(throws: PGError.self) {
                    try await session.execute(Command(insert, [.id(space)]))
                }
                await session.close()
            }
            #expect(try await server.rows(of: space) == [:])
        }
    }

    @Test func aStormOfRequestsLeavesNothingOfASpaceThatIsErased() async throws {
        try await withTestServer { server in
            for round in 0..<4 {
                let anna = try await Person("anna \(round)", server)
                let tokens = try await (0..<4).asyncMap { _ in try await Person("anna \(round)", server) }
                let space = try await anna.makeSpace()
                for person in tokens { #expect(try await person.status(in: space).status == 200) }
                let change = JSONValue.create("SDMeal", .random(), at: moment(1))
                try await withThrowingTaskGroup { group in
                    for (index, person) in tokens.enumerated() {
                        group.addTask {
                            for _ in 0..<12 {
                                let (method, path, body): (String, String, JSONValue?) =
                                    switch index % 4 {
                                    case 0: ("POST", "invitations", ["role": "owner"])
                                    case 1: ("POST", "changes", ["changes": [change]])
                                    case 2: ("PUT", "members/anna", ["role": "owner"])
                                    default: ("GET", "members", nil)
                                    }
                                _ = try await person.request(method, "spaces/\(space)/\(path)", body)
                            }
                        }
                    }
                    #expect(try await anna.request("DELETE", "spaces/\(space)").status == 200)
                    try await group.waitForAll()
                }
                #expect(try await server.rows(of: space) == [:])
            }
        }
    }

    /// Each of its tokens is remembered.
    @Test func anErasedAccountGetsNothingByAnotherToken() async throws {
        try await withTestServer { server in
            let persons = try await (0..<2).asyncMap { _ in try await Person("anna", server) }
            for person in persons { #expect(try await person.status(in: "me").status == 200) }
            let other = try await Person("bela", server)
            let secret = try await other.invite(to: other.makeSpace())
            #expect(try await persons[0].request("DELETE", "account").status == 200)
            for path in ["spaces", "invitations/accept"] {
                let body: JSONValue = path == "spaces" ? [:] : ["secret": .string(secret)]
                #expect(try await persons[1].request("POST", path, body).isProblem(401, "unauthenticated"))
            }
            let me = try await persons[1].status(in: "me")
            #expect(me.status == 401 || me.status == 403, "\(me)")
            #expect(try await other.request("GET", "spaces").json["spaces"].elements.count == 1)
            // Who comes back begins anew.
            let again = try await Person("anna", server)
            #expect(try await again.status(in: "me").status == 200)
        }
    }

    /// A provider's tokens are not in the database: those that were issued before end with the account.
    @Test func anErasedAccountGetsNothingByATokenThatItsProviderIssuedBefore() async throws {
        let key = SigningKey("ES256", id: "key")
        let issuer = try TestIssuer([key])
        let policy = RequestPolicy(providers: IdentityProviders(try issuer.file()))
        try await withTestServer(policy: policy) { (server) async throws in
            func anna(_ seconds: Int64, issued: Int64?) -> Person {
                let now = Timestamp.now.microseconds / 1_000_000
                let iat: JSONValue = issued.map { .int(now + $0) } ?? .null
                let claims = issuer.claims("anna", issued == nil ? [:] : ["iat": iat], lasting: seconds)
                return Person("test:anna", server, token: key.token(claims))
            }
            let (phone, tablet) = (anna(600, issued: -60), anna(601, issued: -60))
            for person in [phone, tablet] { #expect(try await person.status(in: "me").status == 200) }
            #expect(try await phone.request("DELETE", "account").status == 200)
            for person in [phone, tablet, anna(602, issued: -30)] {
                #expect(try await person.request("POST", "spaces").isProblem(401, "unauthenticated"))
                #expect(try await person.status(in: "me").status == 401)
            }
            // Who signs in again is somebody new.
            let again = anna(603, issued: 30)
            #expect(try await again.status(in: "me").status == 200)
            let space = try await again.makeSpace()
            try await again.device(in: "\(space)").push([.create("SDMeal", .random(), at: moment(1))])
            // And nobody is that by a token from before, be it shown for the first time.
            for person in [phone, tablet, anna(604, issued: -30)] {
                for path in ["spaces/me/changes", "spaces/\(space)/changes", "spaces/\(space)/members", "spaces"] {
                    let reply = try await person.request("GET", path)
                    #expect(reply.isProblem(401, "unauthenticated"), "\(path): \(reply)")
                }
                for (method, path) in [
                    ("POST", "spaces/\(space)/invitations"), ("DELETE", "spaces/\(space)"), ("DELETE", "account"),
                ] {
                    let reply = try await person.request(method, path, method == "POST" ? ["role": "owner"] : nil)
                    #expect(reply.isProblem(401, "unauthenticated"), "\(method) \(path): \(reply)")
                }
            }
            #expect(try await again.status(in: space).status == 200)
        }
        await issuer.stop()
    }

    /// A provider's clock may be ahead by the leeway; and a token may itself name spaces.
    @Test func aTokenEndsWithTheAccountThatItErases() async throws {
        let key = SigningKey("ES256", id: "key")
        let issuer = try TestIssuer([key])
        let policy = RequestPolicy(
            providers: IdentityProviders(try issuer.file(["claims": ["spaces": "spaces"]])))
        try await withTestServer(policy: policy) { (server) async throws in
            let now = Timestamp.now.microseconds / 1_000_000
            let named = ID.random()
            let anna = Person(
                "test:anna", server,
                token: key.token(
                    issuer.claims(
                        "anna", ["iat": .int(now + 50), "spaces": [.string("\(named)")]], lasting: 600)))
            #expect(try await anna.status(in: named).status == 200)
            #expect(try await anna.request("DELETE", "account").status == 200)
            try await server.withSecondServer(policy: policy) { (other) async throws in
                for port in [server.port, other.port] {
                    let person = Person("test:anna", server, token: anna.token, port: port)
                    for space in ["me", "\(named)"] {
                        #expect(try await person.status(in: space).isProblem(401, "unauthenticated"))
                    }
                }
            }
        }
        await issuer.stop()
    }
}
