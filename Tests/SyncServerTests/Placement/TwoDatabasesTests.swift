import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncServer

/// Tests of a server whose spaces are in two databases: the directory, and a second one that serves every other bucket.
@Suite struct TwoDatabasesTests {
    private let meal = ID.random()
    private let near = space { !TestServer.isOfSecond($0) }
    private let far = space(in: TestServer.isOfSecond)

    @Test func eachSpaceIsStoredWhereItsBucketIs() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase { second in
                let token = try await server.makeToken(spaces: [near, far])
                for space in [near, far] {
                    let device = server.device(space: space, token: token)
                    try await device.push([.create("SDMeal", meal, ["notes": "here"], at: moment(1))])
                    try await device.push([.update("SDMeal", meal, ["notes": "there"], at: moment(2))])
                    for version in ["0.0.9", "0.1.1"] {
                        let reader = server.device(version, space: space, token: token)
                        try await reader.pullAll()
                        let other = try await reader.pullPage()
                        #expect(other.changes.isEmpty && other.head == 2)
                        #expect(await reader.store["SDMeal"]?.count == 1)
                    }
                }
                #expect(try await spaces(in: server.database) == [near])
                #expect(try await spaces(in: second) == [far])
            }
        }
    }

    /// A server that has not heard of a move yet is refused by the database, and reads the map again.
    @Test func aServerWithAnOldMapFollowsTheSpace() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase { second in
                let token = try await server.makeToken(spaces: [near, far])
                for space in [near, far] {
                    try await server.withSecondServer { other in
                        let server = server.through(other)
                        // Both change places, but for the other server.
                        let isBack = space == far
                        try await server.serve({ TestServer.isOfSecond($0) == isBack }, in: second)
                        try await server.serve({ TestServer.isOfSecond($0) != isBack }, in: server.database)
                        try await server.map { TestServer.isOfSecond($0) == isBack }
                        let device = server.device(space: space, token: token)
                        try await device.push([.create("SDMeal", .random(), at: moment(1))])
                        try await device.pullAll()
                        #expect(await device.store["SDMeal"]?.count == 1)
                    }
                }
                #expect(try await spaces(in: second) == [near, far].sorted())
            }
        }
    }

    @Test func aDatabaseThatDoesNotAnswerLeavesTheOthersAlone() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase { second in
                let token = try await server.makeToken(spaces: [near, far])
                let statuses = try await second.unreachable {
                    (try await status(near, token, server), try await status(far, token, server))
                }
                #expect(statuses == (200, 503))
                #expect(try await status(far, token, server) == 200)
            }
        }
    }

    /// A server starts although a database lacks its migrations, and serves that database's spaces once it has them.
    @Test func aDatabaseThatIsBehindIsServedOnceItIsMigrated() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase(isMigrated: false) { second in
                let token = try await server.makeToken(spaces: [near, far])
                #expect(server.service.databases.failures.keys.sorted() == ["second"])
                try await server.withSecondServer { other in
                    for server in [server, server.through(other)] {
                        #expect(try await status(near, token, server) == 200)
                        #expect(try await status(far, token, server) == 503)
                    }
                    try await Migrator(second.connectionString, lines: Repository.migrations()).up(contracts: .run)
                    try await server.serve(TestServer.isOfSecond, in: second)
                    for server in [server.service, other] { try await server.databases.refresh() }
                    for server in [server, server.through(other)] {
                        #expect(try await status(far, token, server) == 200)
                    }
                }
            }
        }
    }

    @Test func aRemovedMemberWritesNowhere() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase { second in
                try await server.withSecondServer { other in
                    let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
                    for isFar in [false, true] {
                        let space = try await anna.makeSpace(isFar: isFar)
                        try await anna.bring(bela, to: space)
                        // A new token, of which the other server has nothing in memory yet; then it has the rights.
                        let there = try await Person("bela", server, port: other.port)
                        #expect(try await there.push(to: space).status == 200)
                        #expect(
                            try await anna.request("DELETE", "spaces/\(space)/members/bela").status == 204)
                        #expect(try await there.push(to: space).isProblem(403, "not-a-member"))
                        #expect(try await there.status(in: space).isProblem(403, "not-a-member"))
                        #expect(try await anna.push(to: space).status == 200)
                        #expect(try await spaces(in: isFar ? second : server.database).contains(space))
                    }
                }
            }
        }
    }

    /// The removal is not answered with success before the space's database knows of it; and it gets to know.
    @Test func aRevocationThatCouldNotBeToldIsToldLater() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase { second in
                let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
                let space = try await anna.makeSpace(isFar: true)
                try await anna.bring(bela, to: space)
                let reply = try await second.unreachable {
                    try await anna.request("DELETE", "spaces/\(space)/members/bela")
                }
                #expect(reply.status == 503)
                #expect(try await number("SELECT rights FROM sync.space", in: second) == 0)
                for engine in server.service.engines { try await engine.tellUntold() }
                #expect(try await number("SELECT rights FROM sync.space", in: second) == 1)
                #expect(
                    try await number("SELECT count(*) FROM sync.revocation WHERE told < count", in: server.database)
                        == 0)
            }
        }
    }

    @Test func nothingIsLeftOfWhatIsErased() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase { second in
                let (anna, bela) = (try await Person("anna", server), try await Person("bela", server))
                var spaces: [ID] = []
                for isFar in [false, true] {
                    let space = try await anna.makeSpace(isFar: isFar)
                    spaces.append(space)
                    try await anna.bring(bela, to: space)
                    #expect(try await bela.push(to: space).status == 200)
                }
                #expect(try await anna.request("DELETE", "spaces/\(spaces[1])").status == 200)
                #expect(try await bela.push(to: spaces[1]).isProblem(403, "not-a-member"))
                #expect(try await anna.push(to: spaces[0]).status == 200)
                let mine = try await bela.makeSpace(isFar: true)
                #expect(try await bela.push(to: mine).status == 200)
                #expect(try await bela.request("DELETE", "account").status == 200)
                for table in server.plan.hub.entities.map(\.table) {
                    let count = try await number("SELECT count(*) FROM \(server.plan.hub.schema).\(table)", in: second)
                    #expect(count == 0, "\(table)")
                }
                #expect(
                    try await number("SELECT count(*) FROM sync.erasure WHERE ended_at IS NULL", in: server.database)
                        == 0)
                #expect(try await number("SELECT count(*) FROM sync.space WHERE rights >= 0", in: second) == 0)
                #expect(try await anna.push(to: spaces[0]).status == 200)
            }
        }
    }

    @Test func listenersHearOfSpacesInBothDatabases() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase { _ in
                let token = try await server.makeToken(spaces: [near, far])
                for space in [near, far] {
                    let reader = try await server.listen(space: space, token: token)
                    #expect(try await reader.next() == 0)
                    let head = try await server.move(space, token: token)
                    try await server.service.reviewEvents()
                    #expect(try await reader.next() == head)
                }
            }
        }
    }

    @Test func tombstonesAreCollectedInBothDatabases() async throws {
        try await withTestServer { server in
            try await server.withSecondDatabase { second in
                let token = try await server.makeToken(spaces: [near, far])
                for space in [near, far] {
                    let device = server.device(space: space, token: token)
                    try await device.push([.create("SDMeal", meal, at: moment(1))])
                    try await device.push([.delete("SDMeal", meal, at: moment(2))])
                }
                for _ in 0..<2 { _ = try await server.service.collect(olderThan: .zero) }
                for database in [server.database, second] {
                    #expect(try await number("SELECT max(horizon) FROM sync.space", in: database) == 2)
                }
            }
        }
    }

    private func status(_ space: ID, _ token: String, _ server: TestServer) async throws -> Int {
        try await server.post(
            [.create("SDMeal", .random(), at: moment(1))], to: space,
            changing: [HeaderName.authorization: "Bearer \(token)"]
        ).status
    }

    private func spaces(in database: TestDatabase) async throws -> [ID] {
        let session = try await Session.open(database.superuserConnectionString)
        let ids = try await session.execute("SELECT space_id FROM sync.space ORDER BY space_id").ids
        await session.close()
        return ids
    }

    private func number(_ sql: String, in database: TestDatabase) async throws -> Int64 {
        let session = try await Session.open(database.superuserConnectionString)
        let number = try await session.execute(Command(Statement(unchecked: sql))).int(0, 0)
        await session.close()
        return number
    }
}

/// Returns the id of a new space whose bucket fulfils a condition.
private func space(in isWanted: (Bucket) -> Bool) -> ID {
    while true {
        let id = ID.random()
        if isWanted(Bucket(of: id)) { return id }
    }
}

extension Person {
    /// Makes a space that the second database serves, or one that the directory serves.
    fileprivate func makeSpace(isFar: Bool) async throws -> ID {
        while true {
            let space = try await makeSpace()
            if TestServer.isOfSecond(Bucket(of: space)) == isFar { return space }
            #expect(try await request("DELETE", "spaces/\(space)").status == 200)
        }
    }

    fileprivate func push(to space: ID) async throws -> TestReply {
        try await request(
            "POST", "spaces/\(space)/changes",
            ["changes": .array([.create("SDMeal", .random(), at: moment(1))])])
    }
}
