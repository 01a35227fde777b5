import Foundation
import Operations
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `kill -9` of `syncserver database move` between any two statements. At most one database serves the bucket, and the
/// move is ended by `--resume` or `--undo`, with nothing lost.
@Suite(.serialized) struct MoveCrashTests {
    /// In CI every third point, because each takes some seconds; with `SYNC_TEST_ALL_CRASHES`, all.
    private static let stride = ProcessInfo.processInfo.environment["SYNC_TEST_ALL_CRASHES"] == nil ? 3 : 1

    @Test func aMoveThatIsKilledAnywhereIsEnded() async throws {
        var steps: Set<String> = []
        try await withMovableServer { server, second in
            let device = server.device()
            let bucket = Bucket(of: server.space)
            for boundary in Swift.stride(from: 1, to: 100, by: Self.stride) {
                try await device.push([.create("SDMeal", .random(), at: moment(Int64(boundary)))])
                let isSecond = try await server.group.map().name(of: bucket) == "second"
                let target = isSecond ? "directory" : "second"
                let run = try await CommandRun(
                    ["database", "move", "--space", "\(server.space)", "--to", target],
                    database: server.database.superuserConnectionString,
                    environment: ["SYNCSERVER_CRASH_AT": "\(boundary)"])
                try #require(run.wasKilled || run.status == 0, "\(run.errors)")
                if run.wasKilled {
                    let claims = try await claims(on: bucket, server.database, second)
                    #expect(claims <= 1, "killed at \(boundary)")
                    if let move = try await server.group.unfinishedMove() {
                        steps.insert(move.step.rawValue)
                        let isUndone = move.mayBeUndone && boundary.isMultiple(of: 2)
                        try await end(isUndone ? "--undo" : "--resume", server)
                    }
                }
                #expect(try await claims(on: bucket, server.database, second) == 1, "killed at \(boundary)")
                #expect(try await server.group.unfinishedMove() == nil)
                // It may be served by another database than the server's map says.
                try await server.service.databases.refresh()
                try await device.pullAll()
                let read = try await server.view("0.0.9")["SDMeal"] ?? [:]
                #expect(await Set(read.keys) == Set((device.store["SDMeal"] ?? [:]).keys), "killed at \(boundary)")
                let held = try await rows(server.database) + rows(second)
                #expect(await held == Int64(device.store["SDMeal"]?.count ?? 0), "killed at \(boundary)")
                if !run.wasKilled { break }
            }
        }
        #expect(steps.isSuperset(of: ["copying", "switching", "cleaning"]), "\(steps)")
    }

    /// The sessions of the killed process may hold their locks for a moment.
    private func end(_ word: String, _ server: TestServer) async throws {
        try await eventually("\(word) ends the move") {
            let run = try await CommandRun(
                ["database", "move", word, "--json"], database: server.database.superuserConnectionString)
            if run.status != 0 { try #require(run.errors.contains("is at work"), "\(run.errors)") }
            return run.status == 0
        }
    }

    private func claims(on bucket: Bucket, _ databases: TestDatabase...) async throws -> Int {
        var count = 0
        for database in databases {
            let session = try await database.session()
            if BucketMarks.Row(try await session.execute(BucketMarks.reading)).served.contains(bucket) { count += 1 }
            await session.close()
        }
        return count
    }

    private func rows(_ database: TestDatabase) async throws -> Int64 {
        let session = try await Session.open(database.superuserConnectionString)
        let count = try await session.execute("SELECT count(*) FROM fitiq.sd_meal").int(0, 0)
        await session.close()
        return count
    }
}
