import Operations
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests of adding databases to an installation, and of databases that were restored.
@Suite struct DatabaseGroupTests {
    @Test func whatCannotBeAddedIsRefused() async throws {
        try await withTestServer { server in
            let own = server.database.name
            await expect(.badName("Second"), adding: "Second", own, server)
            await expect(.badName("directory"), adding: "directory", own, server)
            await expect(.sameDatabase(as: "directory"), adding: "second", own, server)
            try await withTestDatabase(isSecond: true) { other in
                await expect(.otherMigrations("of all"), adding: "second", other.name, server)
            }
            try await withTestDatabase(migrated: Repository.migrations(), isSecond: true) { other in
                try await other.run("UPDATE sync.migration SET checksum = 'other' WHERE line = 'fitiq' AND number = 3")
                await expect(.otherMigrations("fitiq/3"), adding: "second", other.name, server)
            }
            try await withTestDatabase(migrated: Repository.migrations(), isSecond: true) { other in
                try await other.run(
                    "INSERT INTO sync.space (app, space_id) VALUES ('fitiq', gen_random_uuid())")
                await expect(.notEmpty("sync.space"), adding: "second", other.name, server)
            }
            #expect(try await server.group.list().map(\.name) == ["directory"])
            let contract = "line = 'sync' AND number >= 34 AND phase = 'contract'"
            try await server.database.run("UPDATE sync.migration_step SET state = 'running' WHERE \(contract)")
            await expect(.earlierServers(database: "directory"), adding: "second", own, server)
            try await server.database.run("UPDATE sync.migration_step SET state = 'done' WHERE \(contract)")
            try await server.withAddedDatabase { second in
                await expect(.nameTaken("second"), adding: "second", second.name, server)
                await expect(.sameDatabase(as: "second"), adding: "third", second.name, server)
            }
        }
    }

    @Test func aClusterThatCannotReplicateIsToldSo() async throws {
        try await withTestServer { server in
            try await server.withAddedDatabase { _ in
                let error = await #expect(throws: PlacementError.self) {
                    try await server.group.move(.buckets([Bucket(of: server.space)]), to: "second")
                }
                guard case .cannotReplicate("directory", let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("wal_level is minimal"))
                let unfinished = try await server.group.unfinishedMove()
                #expect(unfinished == nil)
                await #expect(throws: PlacementError.noUnfinishedMove) { try await server.group.resumeMove() }
                await #expect(
                    throws: PlacementError.inPlace(.buckets([Bucket(of: server.space)]), database: "directory")
                ) {
                    try await server.group.move(.buckets([Bucket(of: server.space)]), to: "directory")
                }
                await #expect(throws: PlacementError.unknownDatabase("third", known: ["directory", "second"])) {
                    try await server.group.move(.buckets([Bucket(of: server.space)]), to: "third")
                }
            }
        }
    }

    /// A copy of a database, such as a restored dump, serves nothing until an operator has confirmed it.
    @Test func aRestoredDatabaseServesNothingBeforeItIsConfirmed() async throws {
        try await withTestServer { server in
            try await server.device().push([.create("SDMeal", .random(), at: moment(1))])
            try await server.withAddedDatabase { _ in
                let folder = try TemporaryDirectory()
                try server.database.dump(to: "\(folder.path)/dump")
                try await server.database.restore(from: "\(folder.path)/dump")
                try await eventually("the restored database serves nothing") {
                    try await server.send("GET").isProblem(.spaceMoving)
                }
                #expect(try await server.group.list()[0].state?.served.isEmpty == true)
                #expect(try await server.group.confirm("directory") == Bucket.count)
                #expect(try await server.view("0.0.9")["SDMeal"]?.count == 1)
            }
        }
    }

    /// A directory whose map is older than a move: two databases serve a bucket, and so none does.
    @Test func aDisputedBucketIsServedByNone() async throws {
        try await withTestServer { server in
            try await server.withAddedDatabase { second in
                let bucket = Bucket(of: server.space)
                try await second.run(
                    "UPDATE sync.server SET buckets = set_bit(buckets, \(bucket.number), 1)")
                #expect(try await server.post([.create("SDMeal", .random(), at: moment(1))]).status == 200)
                try await server.service.databases.refresh()
                #expect(server.service.databases.disputed == [bucket])
                #expect(try await server.send("GET").isProblem(.spaceMoving))
                let error = await #expect(throws: PlacementError.self) {
                    _ = try await server.group.confirm("directory")
                }
                #expect(error == .notRestored("directory"))
                // What a database that was not restored serves is taken into the map.
                try await server.database.run("UPDATE sync.server SET buckets = 0::bit(256)")
                #expect(try await server.group.confirm("directory") == Bucket.count - 1)
                #expect(try await server.group.map().name(of: bucket) == "second")
                try await server.service.databases.refresh()
                #expect(server.service.databases.disputed.isEmpty)
                #expect(try await server.send("GET").status == 200)
            }
        }
    }

    /// A directory whose map is older than the move of one space: that stays where it is, and the rest is served.
    @Test func aSpaceThatMovedSinceTheBackupStaysWhereItIs() async throws {
        try await withTestServer { server in
            try await server.withAddedDatabase { second in
                try await second.run("UPDATE sync.server SET exceptions = ARRAY['\(server.space)'::uuid]")
                try await server.database.run("UPDATE sync.server SET buckets = 0::bit(256)")
                #expect(try await server.group.confirm("directory") == Bucket.count)
                let map = try await server.group.map()
                #expect(map.name(of: server.space) == "second")
                #expect(map.name(of: Bucket(of: server.space)) == "directory")
                try await server.service.databases.refresh()
                #expect(server.service.databases.disputed.isEmpty)
                #expect(try await server.post([.create("SDMeal", .random(), at: moment(1))]).status == 200)
                #expect(try await server.view("0.0.9")["SDMeal"]?.count == 1)
            }
        }
    }

    /// Migrations go through all databases, and ask the directory's census.
    @Test func migrationsGoThroughAllDatabases() async throws {
        try await withTestServer { server in
            try await server.withAddedDatabase { _ in
                let string = server.database.superuserConnectionString
                let status = try await CommandRun(["migrate", "status"], database: string)
                #expect(status.status == 0)
                #expect(status.output.hasPrefix("directory:\n") && status.output.contains("\nsecond:\n"))
                let up = try await CommandRun(["migrate", "up", "--json"], database: string)
                #expect(up.output.split(separator: "\n").count == 2, "\(up.output)\(up.errors)")
            }
        }
    }

    @Test func aRenewedEpochIsThatOfAllDatabases() async throws {
        try await withTestServer { server in
            try await server.withAddedDatabase { second in
                let run = try await CommandRun(
                    ["epoch", "--renew", "--yes", "--json"], database: server.database.superuserConnectionString)
                #expect(run.status == 0, "\(run.errors)")
                for database in [server.database, second] {
                    let session = try await database.session()
                    let epoch = try await session.execute("SELECT epoch FROM sync.server").id(0, 0)
                    #expect(run.output.contains("\(epoch)"))
                    await session.close()
                }
            }
        }
    }

    @Test func theListNamesEachDatabaseWithItsBuckets() async throws {
        try await withTestServer { server in
            try await server.withAddedDatabase { second in
                let string = server.database.superuserConnectionString
                let list = try await CommandRun(["database", "list"], database: string)
                let lines = list.output.split(separator: "\n")
                #expect(lines.count == 2 && lines.allSatisfy { $0.count <= 100 }, "\(list.output)")
                #expect(lines[0].hasPrefix("directory  256 buckets"))
                #expect(lines[1].contains("dbname=\(second.name)"))
                let plan = try await CommandRun(["database", "rebalance", "--dry-run"], database: string)
                #expect(plan.output.hasPrefix("buckets ") && plan.output.contains("from directory to second"))
                #expect(try await CommandRun(["database", "move", "3-"], database: string).status == 2)
                #expect(try await CommandRun(["database", "move", "3", "--to", "third"], database: string).status == 1)
            }
        }
    }

    private func expect(
        _ expected: PlacementError, adding name: String, _ database: String, _ server: TestServer,
        at location: SourceLocation = #_sourceLocation
    ) async {
        let entry = BucketMap.Entry(name: name, host: nil, port: nil, database: database)
        let error = await #expect(throws: PlacementError.self, sourceLocation: location) {
            try await server.group.add(entry)
        }
        #expect(error == expected, sourceLocation: location)
    }
}
