import PGStore
import Postgres
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests of the mark that says which buckets of spaces a database serves.
@Suite struct BucketTests {
    private let meal = ID.random()

    @Test func theBucketIsTheOneThatPostgreSQLComputes() async throws {
        let ids =
            [ID(high: 0, low: 0), ID(high: .max, low: .max), ID(high: 1, low: 0), ID(high: 0, low: 1)]
            + (0..<10_000).map { _ in ID.random() }
        try await withTestDatabase(migrated: []) { database in
            let session = try await database.session()
            let rows = try await session.execute(
                Command(
                    """
                    SELECT uuid_hash(id) & 255 FROM unnest($1::uuid[]) WITH ORDINALITY AS w (id, place) ORDER BY place
                    """, [.ids(ids)]))
            await session.close()
            #expect((0..<rows.count).map { Int(rows.int($0, 0)) } == ids.map { Bucket(of: $0).number })
            #expect(Set(ids.map { Bucket(of: $0) }).count == Bucket.count)
        }
    }

    @Test func aSpaceOfABucketThatIsNotHereIsNeitherReadNorWritten() async throws {
        try await withTestServer { server in
            let reader = server.device()
            try await server.device().push([.create("SDMeal", meal, at: moment(1))])
            try await reader.pullAll()
            let cursor = try #require(await reader.cursor)
            let contents = try await server.contents()
            let edit = JSONValue.update("SDMeal", meal, ["notes": "late"], at: moment(2))
            let body = JSONValue.object(["changes": .array([edit])]).bytes

            try await server.setBucket(of: server.space, isHere: false)
            for reply in [
                try await server.post([edit]), try await server.send("GET"),
                try await server.send("GET", server.path() + "?cursor=\(cursor)"),
                try await server.send("POST", server.path("sync"), body: body),
                try await server.send("GET", server.path("events")),
            ] {
                #expect(reply.isProblem(503, "space-moving"))
                #expect(reply["Retry-After"] == "1")
            }
            #expect(try await server.contents() == contents)

            try await server.setBucket(of: server.space, isHere: true)
            #expect(try await server.post([edit]).status == 200)
            try await reader.pullAll()
            #expect(await reader.store["SDMeal"]?[meal.description]?["notes"] == "late")
        }
    }

    /// No row in `sync.space` means a new space only if this database serves its bucket.
    @Test func aNewSpaceBeginsOnlyWhereItsBucketIs() async throws {
        try await withTestServer { server in
            try await server.setBucket(of: server.space, isHere: false)
            let creation = JSONValue.create("SDMeal", meal, at: moment(1))
            #expect(try await server.post([creation]).isProblem(503, "space-moving"))
            #expect(try await server.send("GET").isProblem(503, "space-moving"))
            #expect(try await server.number("SELECT count(*) FROM sync.space") == 0)
            try await server.setBucket(of: server.space, isHere: true)
            #expect(try await server.post([creation]).status == 200)
        }
    }

    /// Pushes that share a transaction are stored or refused one by one.
    @Test func otherSpacesGoOn() async throws {
        try await withTestServer { server in
            let others = (0..<40).map { _ in ID.random() }.filter { Bucket(of: $0) != Bucket(of: server.space) }
            let token = try await server.makeToken(spaces: others + [server.space])
            try await server.setBucket(of: server.space, isHere: false)
            try await withThrowingTaskGroup(of: (ID, Int).self) { group in
                for space in others + [server.space] {
                    group.addTask {
                        let reply = try await server.post(
                            [.create("SDMeal", .random(), at: moment(1))], to: space,
                            changing: [HeaderName.authorization: "Bearer \(token)"])
                        return (space, reply.status)
                    }
                }
                for try await (space, status) in group {
                    #expect(status == (space == server.space ? 503 : 200))
                }
            }
        }
    }

    @Test func nothingIsCollectedWhereTheSpaceIsNotServed() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", meal, at: moment(1))])
            try await server.device().push([.delete("SDMeal", meal, at: moment(2))])
            try await server.setBucket(of: server.space, isHere: false)
            let before = try await server.contents()
            _ = try await server.service.collect(olderThan: .zero)
            _ = try await server.service.collect(olderThan: .zero)
            #expect(try await server.contents() == before)
        }
    }
}

extension TestServer {
    /// Says that the database serves the bucket of a space, or that it does not.
    fileprivate func setBucket(of space: ID, isHere: Bool) async throws {
        try await serve({ isHere || $0 != Bucket(of: space) }, in: database)
    }
}
