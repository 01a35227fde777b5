import HTTPServer
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Rights count where something is done: whoever lost them while a body was on its way gets and leaves nothing.
@Suite struct SlowBodyTests {
    /// A request whose head was sent while its sender was in the space.
    struct Attempt: CustomTestStringConvertible, Sendable {
        let method: String
        /// Below the space's.
        let path: String
        var body: JSONValue = [:]
        /// The sender's role at the beginning.
        var role = "owner"

        var testDescription: String { "\(method) \(path)" }

        static let all = [
            Attempt(
                method: "POST", path: "/changes",
                body: ["changes": [.create("SDMeal", .random(), ["notes": "late"], at: moment(1))]], role: "editor"),
            Attempt(
                method: "POST", path: "/sync",
                body: ["changes": [.create("SDMeal", .random(), ["notes": "late"], at: moment(1))]], role: "editor"),
            Attempt(method: "POST", path: "/sync", body: ["changes": []], role: "reader"),
            Attempt(method: "GET", path: "/changes", role: "reader"),
            Attempt(method: "GET", path: "/members", role: "reader"),
            Attempt(method: "GET", path: "/invitations"),
            Attempt(method: "POST", path: "/invitations", body: ["role": "owner"]),
            Attempt(method: "PUT", path: "/members/clea", body: ["role": "owner"]),
            Attempt(method: "DELETE", path: "/members/clea"),
            Attempt(method: "DELETE", path: ""),
        ]
    }

    /// Sends all but the end of a request, and waits until the server has judged its head.
    private func begin(
        _ attempt: Attempt, _ person: Person, in space: ID, port: Int? = nil
    ) async throws -> (request: HeldRequest, rest: [UInt8]) {
        let body = attempt.body.bytes
        let head = """
            \(attempt.method) /v1/apps/fitiq/spaces/\(space)\(attempt.path) HTTP/1.1\r
            Host: test\r
            Authorization: Bearer \(person.token)\r
            Schema-Version: 0.1.1\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """
        let request = HeldRequest(port: port ?? person.port)
        try await request.send(Array(head.utf8) + body.dropLast())
        return (request, [body[body.count - 1]])
    }

    @Test("A member who is removed while a body arrives gains nothing by it", arguments: Attempt.all)
    func whoeverIsRemovedWhileABodyComesGetsNothingByIt(attempt: Attempt) async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space, as: attempt.role)
            try await anna.bring(Person("clea", server), to: space, as: "reader")
            try await anna.device(in: "\(space)").push([.create("SDMeal", .random(), at: moment(1))])
            #expect(try await bela.status(in: space).status == 200)
            let before = try await contents(server)
            let (request, rest) = try await begin(attempt, bela, in: space)
            try await eventually("its head is judged") { server.service.counts.http.bufferedBytes > 0 }
            #expect(try await anna.request("DELETE", "spaces/\(space)/members/bela").status == 204)
            try await request.send(rest)
            let reply = try await request.reply()
            #expect(reply.status == 403 && says(reply, "not-a-member"), "\(reply)")
            #expect(try await contents(server) == before.filter { $0 != "member bela \(attempt.role)" })
        }
    }

    @Test(
        "A member who became a reader while a body arrived may only read",
        arguments: Attempt.all.filter { $0.role != "reader" })
    func whoeverBecameAReaderWhileABodyCameIsOne(attempt: Attempt) async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space, as: attempt.role)
            try await anna.bring(Person("clea", server), to: space, as: "reader")
            #expect(try await bela.status(in: space).status == 200)
            let before = try await contents(server)
            let (request, rest) = try await begin(attempt, bela, in: space)
            try await eventually("its head is judged") { server.service.counts.http.bufferedBytes > 0 }
            let change = try await anna.request("PUT", "spaces/\(space)/members/bela", ["role": "reader"])
            #expect(change.status == 200)
            try await request.send(rest)
            let reply = try await request.reply()
            if attempt.role == "editor" {
                #expect(reply.status == 200 && says(reply, "read-only"), "\(reply)")
            } else {
                #expect(reply.status == 403 && says(reply, "forbidden"), "\(reply)")
            }
            let after = before.map { $0 == "member bela \(attempt.role)" ? "member bela reader" : $0 }
            #expect(try await contents(server) == after)
        }
    }

    /// A process caches tokens for its look-ups only; another process's change of members counts at once.
    @Test func whatAnotherServerDidToMembersCountsAtOnce() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space)
            let sharing = SpaceSharing(app: server.plan.app, databases: server.service.databases)
            let stored = try await server.contents()
            for _ in 0..<5 {
                #expect(try await bela.status(in: space).status == 200)
                // As another process does it, of which this one receives nothing.
                try await sharing.remove("bela", from: space)
                let change = JSONValue.create("SDMeal", .random(), at: moment(1))
                let push = try await bela.request("POST", "spaces/\(space)/changes", ["changes": [change]])
                #expect(push.isProblem(403, "not-a-member"), "\(push)")
                #expect(try await bela.status(in: space).isProblem(403, "not-a-member"))
                try await sharing.set("bela", to: .editor, in: space)
                try await eventually("she is in it again") { try await bela.status(in: space).status == 200 }
            }
            #expect(try await server.contents() == stored)
        }
    }

    /// A cursor that has read everything costs only a query of the space's head.
    @Test func aPollOfSomebodyRemovedIsRefused() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space)
            try await anna.device(in: "\(space)").push([.create("SDMeal", .random(), at: moment(1))])
            let cursor = try #require(try await bela.status(in: space).json["cursor"].string)
            let poll = "spaces/\(space)/changes?cursor=\(cursor)"
            #expect(try await bela.request("GET", poll).status == 200)
            let sharing = SpaceSharing(app: server.plan.app, databases: server.service.databases)
            try await sharing.remove("bela", from: space)
            #expect(try await bela.request("GET", poll).isProblem(403, "not-a-member"))
            #expect(try await bela.request("GET", "spaces/\(space)/events").isProblem(403, "not-a-member"))
        }
    }

    /// Who revokes a token waits for nothing where members, invitations and spaces are concerned.
    @Test func aRevokedTokenChangesNothingAboutMembers() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let space = try await anna.makeSpace()
            try await anna.bring(bela, to: space, as: "owner")
            #expect(try await bela.status(in: space).status == 200)
            let before = try await contents(server)
            try await server.administer("UPDATE sync.token SET revoked_at = now() WHERE subject = 'bela'")
            for attempt in Attempt.all where attempt.role == "owner" && attempt.method != "GET" {
                let reply = try await bela.request(attempt.method, "spaces/\(space)\(attempt.path)", attempt.body)
                #expect(reply.isProblem(401, "unauthenticated"), "\(attempt): \(reply)")
            }
            for (method, path) in [("POST", "spaces"), ("DELETE", "account")] {
                #expect(try await bela.request(method, path).isProblem(401, "unauthenticated"))
            }
            #expect(try await contents(server) == before)
        }
    }

    private func says(_ reply: HTTPReply, _ word: String) -> Bool {
        String(decoding: reply.body, as: UTF8.self).contains(word)
    }

    /// A line for each record's table, member and invitation.
    private func contents(_ server: TestServer) async throws -> [String] {
        let session = try await Session.open(server.database.superuserConnectionString)
        let rows = try await session.execute(
            """
            SELECT concat_ws(' ', 'member', subject, role) FROM sync.member
            UNION ALL SELECT concat_ws(' ', 'invitation', made_by, role) FROM sync.invitation
            UNION ALL SELECT concat_ws(' ', 'erasure', space_id) FROM sync.erasure ORDER BY 1
            """)
        await session.close()
        return try await server.contents() + (0..<rows.count).map { rows.string($0, 0) }
    }
}
