import DemoApps
import Operations
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Synchronization
import Testing
import WireFormats

/// Tests of moving buckets of spaces between two databases, by PostgreSQL's logical replication.
@Suite(.serialized) struct MoveTests {
    /// Four devices push into two spaces of a bucket without a pause, and two others read, while the bucket moves to
    /// the second database and back.
    @Test func nothingIsLostUnderWriters() async throws {
        try await withMovableServer { server, second in
            let spaces = [server.space, sibling(of: server.space)]
            let token = try await server.makeToken(spaces: spaces)
            let writers = spaces.flatMap { space in ["0.0.9", "0.1.1"].map { Writer(server, space, token, $0) } }
            let readers = spaces.map { server.device("0.0.9", space: $0, token: token) }
            for writer in writers { try await writer.write() }
            for reader in readers { try await reader.pullAll() }
            let end = Gate()
            try await withThrowingTaskGroup { group in
                for writer in writers {
                    group.addTask { while !end.isOpen { try await writer.write() } }
                }
                for reader in readers {
                    group.addTask {
                        while !end.isOpen {
                            // A cursor that expired would be an error.
                            do { try await reader.pullAll() } catch let refused as TestDevice.Refused {
                                #expect(refused.reply.isProblem(.spaceMoving))
                            }
                        }
                    }
                }
                let bucket = Bucket(of: server.space)
                for target in ["second", "directory", "second"] {
                    let events = Mutex<[MoveEvent]>([])
                    try await server.group.move(.buckets([bucket]), to: target) { event in
                        events.withLock { $0.append(event) }
                    }
                    #expect(events.withLock { $0.contains { if case .compared = $0 { true } else { false } } })
                    for writer in writers { try await writer.waitForMore() }
                }
                end.open()
                try await group.waitForAll()
            }
            for (space, reader) in zip(spaces, readers) {
                let written = Set(writers.filter { $0.space == space }.flatMap(\.acknowledged))
                #expect(written.count > 4)
                try await reader.pullAll()
                let fresh = server.device("0.1.1", space: space, token: token)
                try await fresh.pullAll()
                for device in [reader, fresh] {
                    let held = await Set((device.store["SDMeal"] ?? [:]).keys)
                    #expect(held == Set(written.map(\.description)), "\(device.version)")
                }
            }
            #expect(try await rows(of: server.space, in: server.database) == 0)
            #expect(try await rows(of: server.space, in: second) > 0)
            try await expectNoTraces(in: [server.database, second])
        }
    }

    @Test func onlyTheBucketsMove() async throws {
        try await withMovableServer { server, second in
            let spaces = (0..<30).map { _ in ID.random() }
            let token = try await server.makeToken(spaces: spaces)
            for space in spaces {
                try await server.device(space: space, token: token).push([.create("SDMeal", .random(), at: moment(1))])
            }
            let moved = Bucket.all.filter { $0.number < 128 }
            try await server.group.move(.buckets(moved), to: "second")
            for space in spaces {
                let isMoved = Bucket(of: space).number < 128
                #expect(try await rows(of: space, in: server.database) == (isMoved ? 0 : 1))
                #expect(try await rows(of: space, in: second) == (isMoved ? 1 : 0))
                try await server.device(space: space, token: token).push([.create("SDMeal", .random(), at: moment(2))])
                let reader = server.device("0.0.9", space: space, token: token)
                try await reader.pullAll()
                #expect(await reader.store["SDMeal"]?.count == 2)
            }
            let members = try await server.group.list()
            #expect(members.map(\.mapped.count) == [128, 128])
            #expect(members.allSatisfy { $0.state?.served == $0.mapped })
        }
    }

    /// A very large space moves by itself, and back. Its bucket stays, and cannot move meanwhile.
    @Test func oneSpaceMovesWithoutItsBucket() async throws {
        try await withMovableServer { server, second in
            let (space, sibling) = (server.space, sibling(of: server.space))
            let token = try await server.makeToken(spaces: [space, sibling])
            let devices = [space, sibling].map { server.device(space: $0, token: token) }
            for device in devices { try await device.push([.create("SDMeal", .random(), at: moment(1))]) }
            for (target, count) in [("second", Int64(1)), ("directory", 0)] {
                try await server.group.move(.space(space), to: target)
                for device in devices {
                    try await device.push([.create("SDMeal", .random(), at: moment(2 - count))])
                    try await device.pullAll()
                }
                #expect(try await rows(of: space, in: second) == count * 2)
                #expect(try await rows(of: sibling, in: second) == 0)
                #expect(try await rows(of: space, in: server.database) == (1 - count) * 3)
                let exceptions = try await number("SELECT sum(cardinality(exceptions)) FROM sync.server", in: second)
                #expect(exceptions == count)
                let error = await #expect(throws: PlacementError.self) {
                    try await server.group.move(.buckets([Bucket(of: space)]), to: count > 0 ? "second" : "directory")
                }
                let expected: PlacementError =
                    count > 0
                    ? .placedAlone(space, "second", home: "directory")
                    : .inPlace(.buckets([Bucket(of: space)]), database: "directory")
                #expect(error == expected)
            }
            for space in [space, sibling] {
                let fresh = server.device("0.0.9", space: space, token: token)
                try await fresh.pullAll()
                #expect(await fresh.store["SDMeal"]?.count == 3)
            }
            try await expectNoTraces(in: [server.database, second])
        }
    }

    /// The directory counts revocations, tombstones are collected, and held changes are found in the second database.
    @Test func whatBelongsToASpaceMovesWithIt() async throws {
        try await withMovableServer { server, second in
            let device = server.device()
            let meal = ID.random()
            try await device.push([.create("SDMeal", meal, ["notes": "eaten"], at: moment(1))])
            try await device.push([.delete("SDMeal", meal, at: moment(2))])
            try await server.group.move(.buckets([Bucket(of: server.space)]), to: "second")
            for _ in 0..<2 { _ = try await server.service.collect(olderThan: .zero) }
            #expect(try await number("SELECT max(horizon) FROM sync.space", in: second) == 2)
            #expect(try await number("SELECT count(*) FROM sync.directory", in: second) == 1)
            #expect(try await number("SELECT count(*) FROM sync.directory", in: server.database) == 0)
        }
    }

    /// Cursors go on in a database with another epoch, and end when that database is restored.
    @Test func cursorsGoOnInADatabaseWithAnotherEpoch() async throws {
        try await withMovableServer { server, second in
            let device = server.device()
            try await device.push([.create("SDMeal", .random(), at: moment(1))])
            try await device.pullAll()
            let owner = OwnerDatabase(second.superuserConnectionString)
            try await owner.withSession { session in try await DatabaseEpoch(session).renew() }
            try await server.group.move(.buckets([Bucket(of: server.space)]), to: "second")
            #expect(try await device.pullAll().isEmpty)
            try await device.push([.create("SDMeal", .random(), at: moment(2))])
            try await owner.withSession { session in try await DatabaseEpoch(session).renew() }
            let error = await #expect(throws: TestDevice.Refused.self) { try await device.pullAll() }
            #expect(error?.reply.isProblem(.epochChanged) == true)
            try await device.sync()
            #expect(try await server.view("0.0.9")["SDMeal"]?.count == 2)
        }
    }

    @Test func aWriterThatDoesNotEndPutsTheMoveOff() async throws {
        try await withMovableServer { server, second in
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            let stuck = try await Session.open(server.database.superuserConnectionString)
            var limits = MoveLimits()
            (limits.pauseMax, limits.attemptsMax, limits.lagMax) = (.milliseconds(300), 2, .milliseconds(200))
            let attempts = Mutex(0)
            await #expect(throws: PlacementError.self) {
                try await server.group.move(.buckets([Bucket(of: server.space)]), to: "second", limits: limits) {
                    event in
                    if event == .began(.switching) {
                        try await stuck.runScript("BEGIN; UPDATE sync.space SET head = head")
                    }
                    if case .gaveUp = event { attempts.withLock { $0 += 1 } }
                }
            }
            #expect(attempts.withLock(\.self) == 2)
            await stuck.close()
            // The source serves the space meanwhile, and the move goes on.
            try await server.device().push([.create("SDMeal", .random(), at: moment(2))])
            try await server.group.resumeMove()
            #expect(try await rows(of: server.space, in: second) == 2)
            #expect(try await server.view("0.0.9")["SDMeal"]?.count == 2)
        }
    }

    /// Rows that something else wrote into the target are found before it serves.
    @Test func aDifferenceIsFoundBeforeTheTargetServes() async throws {
        try await withMovableServer { server, second in
            try await server.device().push([.create("SDMeal", .random(), ["notes": "a"], at: moment(1))])
            let error = await #expect(throws: PlacementError.self) {
                try await server.group.move(.buckets([Bucket(of: server.space)]), to: "second") { event in
                    if event == .began(.switching) { try await second.run("UPDATE fitiq.sd_meal SET notes = 'b'") }
                }
            }
            #expect(error == .differs(table: "fitiq.sd_meal"))
            try await server.device().push([.create("SDMeal", .random(), at: moment(2))])
            try await server.group.undoMove()
            #expect(try await rows(of: server.space, in: second) == 0)
            #expect(try await server.view("0.0.9")["SDMeal"]?.count == 2)
            try await expectNoTraces(in: [server.database, second])
        }
    }

    /// The space of the client is in the second database, and the tokens in the directory.
    @Test(.enabled(if: Python.path != nil, "There is no python3 of 3.11 or later here"))
    func aClientWrittenFromTheDocumentSyncsInASecondDatabase() async throws {
        try await withMovableServer(KeepTrackPlan.self) { server, second in
            try await server.group.move(.buckets([Bucket(of: server.space)]), to: "second")
            let run = try await PythonClient().run(server, versions: "0.0.0,1.0.0,2.0.0")
            #expect(run.status == 0, "\(run.output)")
            #expect(try await number("SELECT count(*) FROM sync.space WHERE head > 0", in: second) == 1)
        }
    }

    /// A run of migrations and a move keep each other out, also after the move was interrupted.
    @Test func noMigrationRunsDuringAMove() async throws {
        try await withMovableServer { server, second in
            let bucket = Bucket(of: server.space)
            let run = try await Session.open(server.database.superuserConnectionString)
            let isTaken = try await RunnerLock.take(run)
            #expect(isTaken)
            let refusal = await #expect(throws: PlacementError.self) {
                try await server.group.move(.buckets([bucket]), to: "second")
            }
            #expect(refusal == .busy(database: "directory"))
            await run.close()
            await #expect(throws: CancellationError.self) {
                try await server.group.move(.buckets([bucket]), to: "second") { event in
                    if event == .began(.switching) { throw CancellationError() }
                }
            }
            let next = try Repository.migrations().map { line in
                if line.name != "fitiq" { return line }
                let number = String(10_001 + line.files.count).dropFirst()
                let sql = "ALTER TABLE fitiq.sd_meal ADD COLUMN one bigint;"
                let file = try MigrationFile(
                    line: line.name, fileName: "\(number)-add-one.sql", bytes: Array(sql.utf8))
                return try MigrationLine(name: line.name, files: line.files + [file])
            }
            for database in [server.database, second] {
                let error = await #expect(throws: MigrationError.self) {
                    try await Migrator(database.connectionString, lines: next).up()
                }
                let isMoving = if case .moving? = error { true } else { false }
                #expect(isMoving, "\(String(describing: error))")
            }
            try await server.group.undoMove()
        }
    }

    /// PostgreSQL copies several tables at once, and `sync.space` may come late.
    @Test func nothingIsLeftOfACopyThatWasNotEnded() async throws {
        try await withMovableServer { server, second in
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            await #expect(throws: CancellationError.self) {
                try await server.group.move(.buckets([Bucket(of: server.space)]), to: "second") { event in
                    if event == .began(.switching) {
                        try await second.run("DELETE FROM sync.space")
                        throw CancellationError()
                    }
                }
            }
            #expect(try await rows(of: server.space, in: second) == 1)
            try await server.group.undoMove()
            #expect(try await rows(of: server.space, in: second) == 0)
        }
    }

    @Test func aDatabaseIsDrainedAndRemoved() async throws {
        try await withMovableServer { server, second in
            let spaces = (0..<12).map { _ in ID.random() }
            let token = try await server.makeToken(spaces: spaces)
            for space in spaces {
                try await server.device(space: space, token: token).push([.create("SDMeal", .random(), at: moment(1))])
            }
            var balance = Balance(of: try await server.group.list())
            #expect(balance.moves.allSatisfy { $0.source == "directory" && $0.target == "second" })
            let count = balance.moves.reduce(0) { $0 + $1.buckets.count }
            #expect((100...156).contains(count))
            try await server.group.move(.buckets(balance.moves.flatMap(\.buckets)), to: "second")
            #expect(Balance(of: try await server.group.list()).moves.isEmpty)
            await #expect(throws: PlacementError.inUse("second", buckets: count)) {
                try await server.group.remove("second")
            }
            balance = Balance(of: try await server.group.list(), draining: "second")
            #expect(balance.moves.reduce(0) { $0 + $1.buckets.count } == count)
            try await server.group.move(.buckets(balance.moves.flatMap(\.buckets)), to: "directory")
            try await server.group.remove("second")
            #expect(try await server.group.list().map(\.name) == ["directory"])
            for space in spaces { #expect(try await rows(of: space, in: second) == 0) }
        }
    }
}

/// A device that creates a record in each push, and remembers which pushes were acknowledged.
private final class Writer: Sendable {
    let space: ID
    private let server: TestServer
    private let token: String
    private let version: String
    private let device = ID.random()
    private let state = Mutex<(acknowledged: [ID], moment: Int)>(([], 1))

    init(_ server: TestServer, _ space: ID, _ token: String, _ version: String) {
        (self.server, self.space, self.token, self.version) = (server, space, token, version)
    }

    var acknowledged: [ID] { state.withLock(\.acknowledged) }

    func write() async throws {
        let record = ID.random()
        let time = state.withLock { state in
            state.moment += 1
            return state.moment
        }
        let change = JSONValue.create("SDMeal", record, at: moment(Int64(time)))
        // A device sends a change again until it is answered.
        while true {
            let reply = try await server.post(
                [change], to: space,
                changing: [
                    HeaderName.authorization: "Bearer \(token)", HeaderName.deviceID: "\(device)",
                    HeaderName.schemaVersion: version,
                ])
            if reply.status == 200 { break }
            #expect(reply.isProblem(.spaceMoving), "\(reply)")
        }
        state.withLock { $0.acknowledged.append(record) }
    }

    /// Waits until another push was acknowledged.
    func waitForMore() async throws {
        let count = acknowledged.count
        try await eventually("a push is acknowledged") { acknowledged.count > count }
    }
}

/// Returns another space of the same bucket.
private func sibling(of space: ID) -> ID {
    while true {
        let id = ID.random()
        if Bucket(of: id) == Bucket(of: space) { return id }
    }
}

/// Starts a server between whose two databases spaces can move.
func withMovableServer<Value>(
    _ app: (any SchemaMigrationPlan.Type)? = nil, _ body: (TestServer, TestDatabase) async throws -> Value
) async throws -> Value {
    try await TestCluster.$current.withValue(.replicating) {
        try await withTestServer(app) { server in
            try await server.withAddedDatabase { second in try await body(server, second) }
        }
    }
}

private func rows(of space: ID, in database: TestDatabase) async throws -> Int64 {
    try await number("SELECT count(*) FROM fitiq.sd_meal WHERE space_id = '\(space)'", in: database)
}

private func number(_ sql: String, in database: TestDatabase) async throws -> Int64 {
    let session = try await Session.open(database.superuserConnectionString)
    let number = try await session.execute(Command(Statement(unchecked: sql))).int(0, 0)
    await session.close()
    return number
}

/// Expects that nothing of the replication is left.
private func expectNoTraces(in databases: [TestDatabase]) async throws {
    for database in databases {
        #expect(try await number("SELECT count(*) FROM pg_publication", in: database) == 0)
        #expect(try await number("SELECT count(*) FROM sync.move_mark", in: database) == 0)
        #expect(
            try await number(
                "SELECT count(*) FROM pg_replication_slots WHERE database = current_database()", in: database) == 0)
    }
}
