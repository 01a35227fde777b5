import DemoApps
import Foundation
import PGMigrations
import PGStore
import Postgres
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Somebody's own PostgreSQL, in which nothing was prepared: the lines of docs/running.md, as they stand there, lead to
/// a server.
@Suite(.timeLimit(.minutes(20))) struct NewcomerTests {
    @Test("M30: the page's own lines lead to a server with a login of its own")
    func theLinesOfThePageLeadToAServer() async throws {
        try await withUntouchedCluster("newcomer") { cluster in
            let lines = try Self.lines()
            #expect(lines.last?.hasSuffix(" serve") == true)
            let socket = try #require(cluster.superuserConnectionString.host).replacing("/", with: "%2F")
            let address = "@\(socket):5432/sync"
            func here(_ line: String) throws -> String {
                line.replacing(":…@db.example/sync", with: address)
                    .replacing(".build/release/syncserver", with: try ServerProcess.executable())
            }
            let script = try lines.dropLast().map(here).joined(separator: "\n")
            let said = try await Self.bash(script, host: try #require(cluster.superuserConnectionString.host))
            let token = try #require(said.split(separator: "\n").first { $0.hasPrefix("sync_") }, "\(said)")
            let last = try here(try #require(lines.last))
            let serving = try #require(last.split(separator: "'").first { $0.hasPrefix("postgresql:") })
            let space = try #require(ID("28db6081-7a48-4ade-b851-25966840b0b0"))
            #expect(said.contains("CREATE ROLE"))

            let string = try ConnectionString(String(serving))
            let port = try await start(string)
            let plan = try Plan(FitIQPlan.self)
            let device = TestDevice(
                client: TestClient(port: port), path: "/v1/apps/fitiq/spaces/\(space)/changes", token: String(token),
                plan: plan, version: "0.1.1", id: .random())
            let reader = try EventReader(
                port: port, "/v1/apps/fitiq/spaces/\(space)/events",
                headers: ["Authorization: Bearer \(token)", "Schema-Version: 0.1.1"])
            #expect(try await reader.head().status == 200)
            let meal = ID.random()
            let answer = try await device.push([.create("SDMeal", meal, ["notes": "Soup"], at: moment(1))])
            #expect(answer.verdicts == ["applied"])
            try await device.push([.delete("SDMeal", meal, at: moment(2))])
            try await device.pullAll()
            #expect(await device.store["SDMeal"]?.isEmpty != false)
            while try await reader.next() != 2 {}

            // Whoever is at work has that login and no other, and it has done what there is to do in the background,
            // too.
            let administrator = try await Session.open(cluster.superuserConnectionString.with(database: "sync"))
            let logins = try await administrator.execute(
                """
                SELECT DISTINCT usename::text FROM pg_stat_activity
                WHERE datname = 'sync' AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                """)
            #expect((0..<logins.count).map { logins.string($0, 0) } == ["sync_server"])
            try await eventually("the census is written") {
                try await administrator.execute("SELECT count(*) FROM sync.census_device").int(0, 0) > 0
            }
            await administrator.close()
            for _ in 1...2 {
                let words = ["gc", "--older-than", "0d", "--app", "fitiq"]
                var run = try await CommandRun(words, database: string)
                // The server collects by itself, soon after it has started.
                for _ in 1...100 where run.errors.contains("Another process is collecting") {
                    run = try await CommandRun(words, database: string)
                }
                #expect(run.status == 0, "\(run.errors)")
            }
        }
    }

    /// As the page had it: one login for all. Since PostgreSQL 16 it could not take on the role that it had made.
    @Test("M30: a database that one login migrated and serves is fixed by migrating")
    func aDatabaseOfOneLoginIsMendedByMigrating() async throws {
        try await withUntouchedCluster("one-login") { cluster in
            let administrator = try await Session.open(cluster.superuserConnectionString)
            try await administrator.execute("CREATE ROLE sync LOGIN CREATEROLE")
            try await administrator.execute("CREATE DATABASE sync OWNER sync")
            await administrator.close()
            let string = cluster.superuserConnectionString.with(database: "sync").with(user: "sync")
            let lines = try Repository.migrations()
            let before = try lines.map { line in
                try MigrationLine(
                    name: line.name, files: line.name == "sync" ? Array(line.files.prefix(12)) : line.files)
            }
            try await Migrator(string, lines: before).up(contracts: .run)
            try await Migrator(string, lines: lines).up(contracts: .run)
            let session = try await Session.open(string, role: "syncserver_serving")
            await session.close()
            #expect(try await start(string) > 0)
            // The cluster's settings are for speed.
            let findings = try await Doctor.ofRepository(string).examine().findings.filter { $0.check != .settings }
            // The server that was killed a moment ago may still seem to be at work.
            #expect(Set(findings.map(\.check)).isSubset(of: [.role]), "\(findings)")
            #expect(findings.allSatisfy { $0.severity == .warning })
            #expect(findings.contains { $0.remedy.contains("IN ROLE syncserver_serving") }, "\(findings)")
        }
    }

    /// Starts the executable, which ends with the test.
    private func start(_ string: ConnectionString) async throws -> Int {
        try await process.start(string)
    }

    private let process = ServerProcess()

    /// The lines of the section's shell block, without comments and the build.
    private static func lines() throws -> [String] {
        let page = try String(contentsOfFile: "\(Repository.root)/docs/running.md", encoding: .utf8)
        let section = try #require(
            page.components(separatedBy: "\n## ").first { $0.hasPrefix("Your own PostgreSQL") })
        let block = try #require(section.components(separatedBy: "```").dropFirst().first)
        return block.split(separator: "\n").dropFirst().map(String.init)
            .filter { !$0.hasPrefix("#") && !$0.hasPrefix("swift build") }
    }

    /// Runs a script as a shell does; what it says.
    private static func bash(_ script: String, host: String) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-euo", "pipefail", "-c", script]
        process.environment = CommandRun.surroundings.merging([
            "PGHOST": host, "PGUSER": "postgres", "PGDATABASE": "postgres",
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        let ended = Gate()
        process.terminationHandler = { _ in ended.open() }
        try process.run()
        await ended.wait()
        #expect(process.terminationStatus == 0)
        // It fits in a pipe.
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// A PostgreSQL without a role or database of ours.
    private func withUntouchedCluster(_ name: String, _ body: (EmbeddedCluster) async throws -> Void) async throws {
        let cluster = try await EmbeddedCluster.start(directory: TestCluster.directory(name), durability: .throwaway)
        defer { cluster.demolish() }
        let session = try await Session.open(cluster.superuserConnectionString)
        for sql: Command in [
            "DROP DATABASE syncserver", "DROP ROLE syncserver_server", "DROP ROLE syncserver_owner",
            "DROP ROLE syncserver_serving",
        ] {
            try await session.execute(sql)
        }
        await session.close()
        try await body(cluster)
    }
}
