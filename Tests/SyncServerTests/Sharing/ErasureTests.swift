import DemoApps
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests that an erased space is gone from every table, stays gone, and is reported to its devices.
@Suite struct ErasureTests {
    @Test func ofAnErasedSpaceNothingIsLeftAndItsDevicesAreInformed() async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let (space, other) = (try await anna.makeSpace(), try await anna.makeSpace())
            let device = anna.device(in: "\(space)")
            for one in [space, other] {
                try await anna.device(in: "\(one)").push(
                    (1...30).map { .create("SDMeal", .random(), ["notes": "some"], at: moment($0)) })
            }
            try await device.pullAll()
            try await fill(server, space)
            _ = try await anna.invite(to: space)
            let before = try await server.rows(of: space)
            #expect(
                Set(before.keys).isSuperset(of: ["fitiq.sd_meal", "sync.member", "sync.invitation", "sync.increment"]))
            let stream = try await server.listen(space: space, token: anna.token)
            #expect(try await stream.next() != nil)

            let receipt = try await anna.request("DELETE", "spaces/\(space)")
            #expect(receipt.status == 200 && receipt.json["spaces"] == [.string("\(space)")], "\(receipt)")
            // It counts what was there, and all of it is gone.
            #expect(receipt.json["rows"].members == before.mapValues { .int($0) })
            #expect(try await server.rows(of: space).isEmpty)
            #expect(try await server.rows(of: other)["fitiq.sd_meal"] == 30)
            try await server.service.reviewEvents()
            #expect(await stream.ends())
            // She is in it no longer; a token that names it still reaches it, and is answered that it was erased.
            #expect(try await anna.status(in: space).isProblem(403, "not-a-member"))
            let named = try await server.makeToken(spaces: [space], subject: "operator's")
            for method in ["GET", "POST"] {
                let reply = try await server.send(
                    method, server.path(space: "\(space)"), changing: ["Authorization": "Bearer \(named)"],
                    body: method == "POST" ? Array(#"{"changes": []}"#.utf8) : nil)
                #expect(reply.isProblem(410, "space-erased"), "\(reply)")
            }
            let late = try await server.send(
                "POST", server.path(space: "\(space)"), changing: ["Authorization": "Bearer \(named)"],
                body: JSONValue.object(["changes": [.create("SDMeal", .random(), at: moment(99))]]).bytes)
            #expect(late.isProblem(410, "space-erased"))
            #expect(try await server.rows(of: space).isEmpty)
        }
    }

    /// Whose token was looked up just before.
    @Test func whoWasInItReceivesTheErrorOfFormerMembers() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            let push: JSONValue = ["changes": [.create("SDMeal", .random(), at: moment(1))]]
            for (method, action) in [("POST", "changes"), ("POST", "sync"), ("GET", "changes"), ("GET", "events")] {
                let space = try await anna.makeSpace()
                try await anna.bring(bela, to: space)
                #expect(try await bela.status(in: space).status == 200)
                #expect(try await anna.request("DELETE", "spaces/\(space)").status == 200)
                let reply = try await bela.request(
                    method, "spaces/\(space)/\(action)", method == "POST" ? push : nil)
                #expect(reply.isProblem(403, "not-a-member"), "\(method) \(action): \(reply)")
            }
        }
    }

    /// A push that is under way is in it before the space is closed, or is refused.
    @Test func whoPushesMeanwhileLeavesNothingBehind() async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let space = try await anna.makeSpace()
            let token = try await server.makeToken(spaces: [space], subject: "pusher")
            try await withThrowingTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        let device = server.device(space: space, token: token)
                        while true {
                            do {
                                try await device.push([.create("SDMeal", .random(), at: moment(1))])
                            } catch {
                                return
                            }
                        }
                    }
                }
                let receipt = try await anna.request("DELETE", "spaces/\(space)")
                #expect(receipt.status == 200, "\(receipt)")
                try await group.waitForAll()
            }
            #expect(try await server.rows(of: space).isEmpty)
        }
    }

    @Test func whatWasInterruptedIsGoneOnWith() async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let space = try await anna.makeSpace()
            try await anna.device(in: "\(space)").push([.create("SDMeal", .random(), at: moment(1))])
            // As if the server had ended after it had closed the space.
            try await server.administer(
                "UPDATE sync.space SET level = 2147483647")
            try await server.administer(
                """
                INSERT INTO sync.erasure (space_id, app, begun_at)
                SELECT space_id, app, now() - interval '2 h' FROM sync.space WHERE level = 2147483647
                """)
            #expect(try await anna.status(in: space).isProblem(410, "space-erased"))
            let erasing = Erasing(app: server.plan.app, databases: server.service.databases)
            let begun = try await server.database.session()
            let now = try await begun.execute("SELECT now()").timestamp(0, 0)
            await begun.close()
            // It may be under way.
            #expect(try await erasing.completeErasures(at: now.adding(.seconds(-7000))).spaces.isEmpty)
            let receipt = try await erasing.completeErasures(at: now)
            #expect(receipt.spaces == [space] && receipt.rows.contains { $0 == ("fitiq.sd_meal", 1) })
            #expect(try await server.rows(of: space).isEmpty)
            #expect(try await erasing.completeErasures(at: now).spaces.isEmpty)
        }
    }

    @Test func aSubjectGoesWithAllThatIsItsOwn() async throws {
        try await withTestServer { server in
            let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
            try await anna.device().push([.create("SDMeal", .random(), at: moment(1))])
            let (alone, shared) = (try await anna.makeSpace(), try await anna.makeSpace())
            let belas = try await bela.makeSpace()
            try await bela.bring(anna, to: belas)
            try await anna.bring(bela, to: shared)
            let refusal = try await anna.request("DELETE", "account")
            #expect(refusal.isProblem(409, "shared-spaces"), "\(refusal)")
            #expect(refusal.json["spaces"] == [.string("\(shared)")])
            #expect(try await server.rows(of: alone)["sync.member"] == 1)

            #expect(try await anna.request("PUT", "spaces/\(shared)/members/bela", ["role": "owner"]).status == 200)
            let receipt = try await anna.request("DELETE", "account")
            #expect(receipt.status == 200, "\(receipt)")
            #expect(receipt.json["spaces"].elements.count == 2)
            #expect(receipt.json["rows"]["sync.token"] == 1)
            let named = try await subjects(server)
            #expect(!named.contains { $0.contains("anna") }, "\(named)")
            // The others go on.
            #expect(try await bela.status(in: shared).status == 200)
            #expect(try await bela.request("GET", "spaces/\(belas)/members").json["members"].elements.count == 1)
        }
    }

    /// A table or a column that comes later must be thought of here: each that could say whose something is.
    @Test func everyTableIsKnown() async throws {
        try await withTestServer { server in
            let session = try await Session.open(server.database.superuserConnectionString)
            let rows = try await session.execute(
                """
                SELECT concat_ws('.', c.relname, a.attname) FROM pg_class AS c
                    JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_attribute AS a ON a.attrelid = c.oid
                WHERE n.nspname = 'sync' AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
                    AND a.attname ~ 'space|subject|made_by|member|holder|user'
                """)
            await session.close()
            // What goes with a space, by `sync.erase_rows`; and `sync.space` and `sync.erasure` stay as marks.
            let bySpace = [
                "clamp.space_id", "deletion.space_id", "directory.space", "erasure.space_id", "increment.space_id",
                "invitation.space_id",
                "judged.space_id",
                "mark.space_id", "member.space_id", "name.space_id", "quarantine.space_id",
                "quarantine_directory.space", "record.space_id", "revocation.space_id", "space.space_id",
            ]
            // What goes with a subject, by `sync.forget_subject`. The spaces of its tokens go with these.
            let bySubject = ["invitation.made_by", "member.subject", "token.subject", "token.spaces"]
            // Hashes, which say of two whether they are one subject. They go with the marks, after a month; those of
            // the census with the account, or after a year.
            let byAge = ["account_erasure.subject_hash", "census_device.subject_hash", "erasure.subject_hash"]
            // Whether any are named at all.
            let nobodys = ["server.providers_name_spaces"]
            // A backfill's position says how far it is, and goes with its step.
            let passing = ["migration_step.after_space"]
            #expect(
                Set((0..<rows.count).map { rows.string($0, 0) }) == Set(bySpace + bySubject + byAge + nobodys + passing)
            )
        }
    }

    private func subjects(_ server: TestServer) async throws -> [String] {
        let session = try await Session.open(server.database.superuserConnectionString)
        let rows = try await session.execute(
            """
            SELECT subject FROM sync.member UNION ALL SELECT subject FROM sync.token
            UNION ALL SELECT made_by FROM sync.invitation
            """)
        await session.close()
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// A row in each of the server's own tables that has some for a space.
    private func fill(_ server: TestServer, _ space: ID) async throws {
        let session = try await Session.open(server.database.superuserConnectionString)
        for sql: StaticString in [
            "INSERT INTO sync.increment SELECT (jsonb_populate_record(NULL::sync.increment, $1::jsonb)).*",
            "INSERT INTO sync.clamp SELECT (jsonb_populate_record(NULL::sync.clamp, $1::jsonb)).*",
            "INSERT INTO sync.name SELECT (jsonb_populate_record(NULL::sync.name, $1::jsonb)).*",
            "INSERT INTO sync.mark SELECT (jsonb_populate_record(NULL::sync.mark, $1::jsonb)).*",
        ] {
            let values = JSONValue.object([
                "space_id": .string("\(space)"), "app": "fitiq", "device": .string("\(ID.random())"), "sent": 1,
                "given": 2, "entity": "sd_meal", "id": .string("\(ID.random())"), "record": .string("\(ID.random())"),
                "key": .string("\(ID.random())"), "text": "a name", "stamp": 1, "head": 1,
                "at": "2026-01-01T00:00:00Z", "applied": 1, "attribute": "a",
            ])
            try await session.execute(Command(Statement(sql), [.text(String(decoding: values.bytes, as: UTF8.self))]))
        }
        await session.close()
    }
}
