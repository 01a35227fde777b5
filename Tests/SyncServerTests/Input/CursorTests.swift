import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// A cursor is good for the space and the database that gave it.
@Suite struct CursorTests {
    @Test func aCursorOfAnotherSpaceIsRefused() async throws {
        try await withTestServer { server in
            let other = ID.random()
            let token = try await server.makeToken(spaces: [other])
            let outsider = server.device(space: other, token: token)
            try await outsider.push([.create("SDMeal", .random(), at: moment(1))])
            try await refuses(server, cursor: try #require(await outsider.cursor), status: 400, code: "malformed")
        }
    }

    @Test func aCursorOfAnotherDatabaseIsOfAnotherEpoch() async throws {
        try await withTestServer { server in
            let device = server.device()
            try await device.push([.create("SDMeal", .random(), at: moment(1))])
            try await device.pullAll()
            try await change(server, "UPDATE sync.server SET epoch = gen_random_uuid()")
            try await refuses(server, cursor: try #require(await device.cursor), status: 410, code: "epoch-changed")
        }
    }

    @Test func aCursorAheadOfARestoredDatabaseIsOfAnotherEpoch() async throws {
        try await withTestServer { server in
            let device = server.device()
            try await device.push([.create("SDMeal", .random(), at: moment(1))])
            try await device.pullAll()
            try await change(server, "UPDATE sync.space SET head = 0")
            try await refuses(server, cursor: try #require(await device.cursor), status: 410, code: "epoch-changed")
        }
    }

    @Test func aCursorThatWasTamperedWithIsRefusedOrHarmless() async throws {
        try await withTestServer { server in
            let device = server.device()
            try await device.push([.create("SDMeal", .random(), at: moment(1))])
            let cursor = Array(try #require(await device.cursor))
            for index in cursor.indices {
                var text = cursor
                text[index] = text[index] == "A" ? "B" : "A"
                let reply = try await server.send("GET", "\(server.path())?cursor=\(String(text))")
                #expect([200, 400, 410].contains(reply.status), "\(index): \(reply)")
            }
            for text in [String(cursor.dropLast()), String(cursor) + "AAAA", String(cursor) + "=", "A"] {
                let reply = try await server.send("GET", "\(server.path())?cursor=\(text)")
                #expect(reply.isProblem(400, "malformed"), "\(text): \(reply)")
            }
            #expect(try await server.isHealthy())
        }
    }

    /// In a pull, a push and a sync alike; and nothing of what comes with it is stored.
    private func refuses(_ server: TestServer, cursor: String, status: Int, code: String) async throws {
        let before = try await server.contents()
        let pull = try await server.send("GET", "\(server.path())?cursor=\(cursor)")
        #expect(pull.isProblem(status, code), "\(pull)")
        let body: JSONValue = [
            "changes": [.create("SDMeal", .random(), at: moment(1))], "cursor": .string(cursor),
        ]
        for action in ["changes", "sync"] {
            let reply = try await server.send("POST", server.path(action), body: body.bytes)
            #expect(reply.isProblem(status, code), "\(action): \(reply)")
        }
        #expect(try await server.contents() == before)
    }

    private func change(_ server: TestServer, _ statement: Statement) async throws {
        let session = try await Session.open(server.database.superuserConnectionString)
        try await session.execute(Command(statement))
        await session.close()
    }
}
