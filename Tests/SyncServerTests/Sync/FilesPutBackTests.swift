import DemoApps
import Foundation
import PGStore
import PlantedBugs
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests of a cluster's files that are restored under a server that goes on: they differ from the originals only in
/// that PostgreSQL was started to read them. Or they are those of a standby that is promoted, on another timeline, and
/// lacks the last commits.
@Suite struct FilesPutBackTests {
    private let lost = ID.random()
    private let deleted = ID.random()
    private let later = ID.random()

    /// The device's writes come back, and its deletions too, although the head has overtaken its cursor.
    @Test(arguments: [0, 1], [false, true])
    func whoReadOrWroteWhatWasLostBringsItBack(restarts: Int, isPromoted: Bool) async throws {
        try await withOwnCluster { site in
            let phone = site.device()
            try await phone.sync(making: [.create("SDMeal", deleted, at: moment(1))])
            try await site.copyFiles()
            try await phone.sync(making: [
                .create("SDMeal", lost, at: moment(2)), .delete("SDMeal", deleted, at: moment(2)),
            ])
            for _ in 0..<restarts {
                try await site.restart()
                try await phone.sync(making: [.update("SDMeal", lost, ["notes": "restarted"], at: moment(3))])
            }
            try await site.putFilesBack(promoted: isPromoted)
            try await overtake(site)
            try await phone.sync()
            #expect(await phone.holds("SDMeal", lost))
            #expect(await phone.holds("SDMeal", later))
            #expect(await !phone.holds("SDMeal", deleted))
            let fresh = site.device()
            try await fresh.sync()
            #expect(await phone.store == fresh.store)
        }
    }

    /// The control: without eras, the test above would fail.
    @Test func withoutErasNobodyNotices() async throws {
        try await withOwnCluster(planting: .eraIgnored) { (site) async throws in
            let phone = site.device()
            try await phone.sync(making: [.create("SDMeal", deleted, at: moment(1))])
            try await site.copyFiles()
            try await phone.sync(making: [.create("SDMeal", lost, at: moment(2))])
            try await site.putFilesBack()
            try await overtake(site)
            try await phone.sync()
            #expect(await !phone.holds("SDMeal", later))
        }
    }

    /// In the middle of paging a cursor says nothing of numbers that were lost but the head that it goes to.
    @Test(arguments: [false, true])
    func whoWasReadingNotices(isPromoted: Bool) async throws {
        try await withOwnCluster { site in
            let creations = [lost, deleted, .random()].map { .create("SDMeal", $0, at: moment(1)) } as [JSONValue]
            try await site.device().sync(making: creations)
            try await site.copyFiles()
            // It moves behind what is read next, and comes back to where it was.
            try await site.device().sync(making: [.update("SDMeal", lost, ["notes": "after"], at: moment(2))])
            let cursor = try #require(try await site.page(limit: 1).json["cursor"].string)
            try await site.putFilesBack(promoted: isPromoted)
            #expect(try await site.page(after: cursor).isProblem(410, "epoch-changed"))
            try await overtake(site)
            #expect(try await site.page(after: cursor).isProblem(410, "epoch-changed"))
        }
    }

    /// Only those must begin anew who know more than the server: a fail-over does not make all devices read all.
    @Test(arguments: [false, true])
    func whoKnowsNothingOfWhatWasLostGoesOn(isPromoted: Bool) async throws {
        try await withOwnCluster { site in
            try await site.device().sync(making: [.create("SDMeal", deleted, at: moment(1))])
            let cursor = try #require(try await site.page().json["cursor"].string)
            try await site.copyFiles()
            try await site.device().sync(making: [.create("SDMeal", lost, at: moment(2))])
            try await site.putFilesBack(promoted: isPromoted)
            try await overtake(site)
            let page = try await site.page(after: cursor)
            #expect(page.status == 200)
            #expect(page.json["changes"].elements.count == 5)
        }
    }

    /// A restart or a crash loses nothing, and so nobody's cursor.
    @Test func aRestartIsNoLoss() async throws {
        try await withOwnCluster { site in
            var cursors: [String] = []
            for round in 1...3 as ClosedRange<Int64> {
                try await site.device().sync(making: [.create("SDMeal", .random(), at: moment(round))])
                cursors.append(try #require(try await site.page().json["cursor"].string))
                try await site.restart()
            }
            for (round, cursor) in cursors.enumerated() {
                let page = try await site.page(after: cursor)
                #expect(page.status == 200)
                #expect(page.json["changes"].elements.count == 2 - round)
            }
        }
    }

    /// So many pushes of others that the head is beyond what it was before.
    private func overtake(_ site: OwnSite) async throws {
        let other = site.device()
        for id in [later, .random(), .random(), .random(), .random()] {
            try await other.sync(making: [.create("SDMeal", id, at: moment(4))])
        }
    }

    private func withOwnCluster(
        planting bug: PlantedBug? = nil, _ body: (OwnSite) async throws -> Void
    ) async throws {
        let site = try await OwnSite(planting: bug)
        do {
            try await body(site)
            await site.close()
        } catch {
            await site.close()
            throw error
        }
    }
}

extension TestDevice {
    fileprivate func sync(making changes: [JSONValue]) async throws {
        make(changes)
        try await sync()
    }
}

private func add(_ secret: Secret, _ grant: Grant, _ session: isolated Session) throws {
    try TokenStore.add(secret, grant, session)
}

/// A cluster whose files can be copied and put back, and a server over it that is a process of its own.
private final class OwnSite {
    private let directory: String
    private var cluster: EmbeddedCluster
    private let server = ServerProcess()
    private let space = ID.random()
    private let secret = Secret()
    private let plan: Plan
    private let port: Int

    init(planting bug: PlantedBug?) async throws {
        plan = try Plan(FitIQPlan.self)
        directory = TestCluster.directory("files-\(ID.random().description.prefix(8))")
        cluster = try await EmbeddedCluster.start(directory: directory, durability: .crashes)
        port = try await server.start(cluster.connectionString, ["--migrate", "auto", "--no-gc"], planting: bug)
        let session = try await Session.open(cluster.superuserConnectionString.with(database: "syncserver"))
        try await add(secret, Grant(app: nil, subject: "test", role: .write, spaces: [space]), session)
        await session.close()
    }

    func close() async {
        await server.kill9()
        cluster.demolish()
        try? FileManager.default.removeItem(atPath: copy)
    }

    private var data: String { cluster.path + "/data" }
    private var copy: String { cluster.path + ".copy" }

    func restart() async throws {
        try await stopped {}
    }

    func copyFiles() async throws {
        try await stopped { try run("cp", "--archive", data, copy) }
    }

    /// - Parameter promoted: whether they recover as a standby's that is promoted, on a timeline of their own.
    func putFilesBack(promoted: Bool = false) async throws {
        let before = try await timeline()
        try await stopped {
            try run("rm", "--recursive", data)
            try run("cp", "--archive", copy, data)
            // Without a target they recover to the end of what there is.
            if promoted {
                try run("cp", "--preserve=ownership", data + "/PG_VERSION", data + "/recovery.signal")
                let settings = "restore_command = 'false'\nhot_standby = off\n"
                try run("sh", "-c", "printf '%s' \"$0\" >> \"$1\"", settings, data + "/postgresql.auto.conf")
            }
        }
        #expect(try await timeline() == before + (promoted ? 1 : 0))
    }

    private func timeline() async throws -> Int {
        let session = try await Session.open(cluster.superuserConnectionString)
        defer { Task { await session.close() } }
        return try await session.execute(
            "SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8"
        ).number
    }

    /// Without PostgreSQL, which ends as in a crash and recovers.
    private func stopped(_ body: () throws -> Void) async throws {
        try await cluster.crash()
        try body()
        cluster = try await EmbeddedCluster.start(directory: directory, durability: .crashes)
    }

    private func run(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    func device() -> TestDevice {
        TestDevice(
            client: TestClient(port: port), path: path, token: secret.text, plan: plan, version: "0.1.1", id: .random())
    }

    private var path: String { "/v1/apps/fitiq/spaces/\(space)/changes" }

    /// Pulls a page as a device that only reads. The server finds out session by session that its database went
    /// away.
    func page(after cursor: String? = nil, limit: Int = 100) async throws -> TestReply {
        let client = TestClient(port: port)
        let target = "\(path)?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? "")
        let headers = ["Authorization: Bearer \(secret.text)", "Schema-Version: 0.1.1"]
        while true {
            let reply = try await client.request("GET", target, headers: headers)
            if reply.status != 503 { return reply }
        }
    }
}
