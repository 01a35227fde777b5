import Foundation
import Glibc
import HTTPServer
import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// `syncserver serve` as a process: what signals mean to it, and what it says.
@Suite struct ServeProcessTests {
    /// Runs `body` while the program serves a database of its own.
    private func serving(
        _ words: [String] = [], variables: [String: String] = [:],
        _ body: (ServerProcess, Int, TestDatabase) async throws -> Void
    ) async throws {
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: Repository.migrations()).up(contracts: .run)
            let process = ServerProcess()
            let port = try await process.start(database.servingConnectionString, words, variables: variables)
            try await body(process, port, database)
            await process.kill9()
        }
    }

    private func ends(_ process: ServerProcess) async throws -> Int32? {
        try await eventually("the server is gone") { await !process.isRunning }
        return await process.endStatus
    }

    /// A closed terminal sends it. With the default action the process ended at once, and left a private PostgreSQL.
    @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
    func eachOfTheSignalsEndsItInOrder(signal: Int32) async throws {
        try await serving { (process, _, _) async throws in
            await process.send(signal)
            #expect(try await ends(process) == 0)
            #expect(await process.lines.last?.contains("finishing what is in flight") == true)
        }
    }

    @Test func aClosedTerminalLeavesNoPrivateCluster() async throws {
        let folder = try TemporaryDirectory()
        let run = try await CommandRun(
            ["serve", "--port", "0", "--log-format", "json"], workingDirectory: folder.path
        ) { number in
            let postmaster = "\(folder.path)/.syncserver/postgres/data/postmaster.pid"
            try await eventually("it has a cluster") { FileManager.default.fileExists(atPath: postmaster) }
            kill(number, SIGHUP)
        }
        #expect(run.status == 0 || run.errors.contains("Stopping"), "\(run.status) \(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/.syncserver/postgres/data/postmaster.pid"))
        #expect(run.errors.contains("the private one in \(folder.path)/.syncserver/postgres"))
    }

    /// Making and migrating a private cluster takes seconds.
    @Test func aPortInUseIsSaidBeforeAClusterIsMade() async throws {
        let folder = try TemporaryDirectory()
        let other = try HTTPServer.start(.init()) { _ in .answer(HTTPResponse(status: 200)) }
        let run = try await CommandRun(["serve", "--port", "\(other.port)"], workingDirectory: folder.path)
        await other.stop()
        #expect(run.status == 1 && run.errors.contains("Choose another port with ‘--port’"), "\(run)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/.syncserver"))
    }

    @Test func aHangUpReadsItsFilesAgain() async throws {
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/serve.json"
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
        try write(#"{"cors-origins": "https://one.example", "drain": "0s"}"#)
        try await serving(["--config", path]) { process, port, _ in
            let client = TestClient(port: port)
            func allows(_ origin: String) async throws -> Bool {
                let reply = try await client.request("GET", "/v1/apps", headers: ["Origin: \(origin)"])
                return reply["access-control-allow-origin"] == origin
            }
            #expect(try await allows("https://one.example"))
            try write(#"{"cors-origins": "https://two.example", "drain": "1s"}"#)
            await process.send(SIGHUP)
            try await eventually("the other origin is allowed") { try await allows("https://two.example") }
            #expect(try await !allows("https://one.example"))
            try await eventually("it says what takes a restart") {
                await process.lines.contains { $0.contains("takes a restart") && $0.contains(#""options":"drain""#) }
            }
            // What cannot be taken changes nothing.
            for broken in [
                "{", #"{"metrics-listen": "zz"}"#, #"{"drain": "x"}"#, #"{"mass-deletion": 500}"#,
                #"{"address": "localhost"}"#, #"{"database": "@@"}"#,
                #"{"cors-orgins": "https://one.example"}"#, #"{"limits": {"quotas": 1}}"#,
            ] {
                let before = await process.lines.count { $0.contains("the files were not taken") }
                try write(broken)
                await process.send(SIGHUP)
                try await eventually("it says so") {
                    await process.lines.count { $0.contains("the files were not taken") } == before + 1
                }
                #expect(try await allows("https://two.example"))
            }
            await process.terminate()
            #expect(try await ends(process) == 0)
        }
    }

    /// nohup(1) has it ignored for whoever wants to go on.
    @Test func whoStartsItWithSIGHUPIgnoredKeepsIt() async throws {
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: Repository.migrations()).up(contracts: .run)
            let folder = try TemporaryDirectory()
            let run = try await CommandRun(
                [
                    "-c", "trap '' HUP; exec \"$1\" serve --port 0 2>\"$0/log\"", folder.path,
                    ServerProcess.executable(),
                ],
                database: database.servingConnectionString, executable: "/bin/bash"
            ) { number in
                func says(_ text: String) -> Bool {
                    (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8))?.contains(text) == true
                }
                try await eventually("it serves") { says("Listening on") }
                kill(number, SIGHUP)
                kill(number, SIGTERM)
                try await eventually("it stops") { says("finishing what is in flight") }
            }
            #expect(run.status == 0)
        }
    }

    @Test func aFaultOfTheFileIsInTheFormOfTheLog() async throws {
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/serve.json"
        try Data(#"{"\u001b[31mport\n": 1}"#.utf8).write(to: URL(filePath: path))
        let run = try await CommandRun(["serve", "--config", path])
        let line = try JSONValue(parsing: Array(run.errors.utf8.dropLast(1)))
        #expect(run.status == 2 && line["level"] == "error", "\(run.errors)")
        let text = try await CommandRun(["serve", "--config", path, "--log-format", "text"])
        #expect(text.status == 2 && !text.errors.utf8.contains(0x1B), "\(text.errors)")
    }

    /// Balancers look at /readyz every second or two.
    @Test func whoStopsIsNotReadyFirstAndStillServes() async throws {
        try await serving(["--drain", "1h"]) { process, port, _ in
            let client = TestClient(port: port)
            #expect(try await client.request("GET", "/readyz").status == 200)
            await process.terminate()
            try await eventually("it is not ready") { try await client.request("GET", "/readyz").status == 503 }
            #expect(try await client.request("GET", "/healthz").status == 200)
            #expect(try await client.request("GET", "/v1/apps").status == 200)
            await process.terminate()
            #expect(try await ends(process) == 0)
        }
    }

    /// One form: a line that is no JSON is lost where logs are collected.
    @Test func allThatItSaysIsInOneForm() async throws {
        try await serving(["--metrics-listen", "127.0.0.1:0", "--log-requests"]) { process, port, _ in
            let reply = try await TestClient(port: port).request("GET", "/v1/apps")
            await process.terminate()
            #expect(try await ends(process) == 0)
            let lines = try await process.lines.map { try JSONValue(parsing: Array($0.utf8)) }
            #expect(lines.allSatisfy { $0["level"].string != nil && $0["time"].string != nil })
            let start = try #require(lines.first { $0["message"] == .string("Listening on http://127.0.0.1:\(port)") })
            #expect(start["version"].string != nil && start["commit"].string != nil && start["epoch"].string != nil)
            let request = try #require(lines.first { $0["message"] == "request" })
            #expect(request["status"] == 200 && request["id"].string == reply["x-request-id"])
        }
    }

    @Test(arguments: ["json", "text"])
    func aJournalIsSentThePriorityOfEachLine(form: String) async throws {
        let folder = try TemporaryDirectory()
        // Standard error of a process that systemd starts is the stream that this names.
        let script = """
            exec 2>"$0/journal"; export JOURNAL_STREAM="$(stat -L --format %d:%i "$0/journal")"
            exec "$1" serve --port 0 --log-format "$2" --address 192.0.2.1
            """
        let program = try ServerProcess.executable()
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: Repository.migrations()).up(contracts: .run)
            let run = try await CommandRun(
                ["-c", script, folder.path, program, form], database: database.servingConnectionString,
                executable: "/bin/bash")
            #expect(run.status == 1)
        }
        let text = try String(contentsOfFile: "\(folder.path)/journal", encoding: .utf8)
        let last = try #require(text.split(separator: "\n").last)
        #expect(last.hasPrefix("<3>"), "\(text)")
        #expect(last.contains("‘--address’") && !last.contains("‘--port’"), "\(text)")
    }

    @Test func aPortThatIsTakenNamesItsOption() async throws {
        try await serving { _, port, database in
            let string = database.servingConnectionString
            let one = try await CommandRun(["serve", "--port", "\(port)"], database: string)
            #expect(one.status == 1 && one.errors.contains("‘--port’"), "\(one.errors)")
            let other = try await CommandRun(
                ["serve", "--port", "0", "--metrics-listen", "127.0.0.1:\(port)"], database: string)
            #expect(other.status == 1 && other.errors.contains("‘--metrics-listen’"), "\(other.errors)")
            #expect(!other.errors.contains("‘--port’"), "\(other.errors)")
        }
    }

    /// An operator who reads that something was lost must not have to guess whether it still is.
    @Test func whatWorksAgainIsSaid() async throws {
        try await serving { process, _, database in
            let session = try await Session.open(database.superuserConnectionString)
            let cut: Command = """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """
            // Whenever it comes to listen.
            try await eventually("it says that the channel is lost") {
                _ = try await session.execute(cut)
                return await process.lines.contains { $0.contains("the channel between servers is lost") }
            }
            try await eventually("it says that it is back") {
                await process.lines.contains {
                    $0.contains("the channel between servers is open") && $0.contains("failedFor")
                }
            }
            try await session.execute("UPDATE sync.server SET epoch = gen_random_uuid()")
            await session.close()
            try await eventually("it says that the epoch is another") {
                await process.lines.contains { $0.contains("the epoch of the database has changed") }
            }
        }
    }

    /// The tests' own PostgreSQL is set to lose all for speed; what a database sets counts as well.
    @Test func whatMayLoseAcknowledgedPushesIsWarnedOfAtTheStart() async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { (database) async throws in
            let lines = try await said(in: database)
            for setting in ["fsync", "full_page_writes", "synchronous_commit"] {
                #expect(lines.contains { $0.contains("setting \(setting): It is off.") }, "\(lines)")
            }
            #expect(lines.contains { $0.contains("pushes are lost") && $0.contains("‘-c synchronous_commit=off’") })
            let off = try await said(in: database, synchronousCommit: "off")
            #expect(off.contains { $0.contains("ALTER DATABASE \(database.name) RESET synchronous_commit;") }, "\(off)")
            let on = try await said(in: database, synchronousCommit: "on")
            #expect(!on.contains { $0.contains("setting synchronous_commit") }, "\(on)")
        }
    }

    /// The lines of a server that starts, where the database may say how commits wait.
    private func said(in database: TestDatabase, synchronousCommit value: String? = nil) async throws -> [String] {
        if let value {
            let session = try await Session.open(database.superuserConnectionString)
            let setting = "ALTER DATABASE \(database.name) SET synchronous_commit = \(value)"
            try await session.execute(Command(Statement(unchecked: setting)))
            await session.close()
        }
        let process = ServerProcess()
        _ = try await process.start(database.servingConnectionString)
        let lines = await process.lines
        await process.kill9()
        return lines
    }

    /// Else one flood of invented tokens shuts out all new devices, because all come from one address.
    @Test(arguments: [[], ["--trusted-proxies", "127.0.0.1"]])
    func aProxyWhoseWordIsNotTakenIsNamedOnce(words: [String]) async throws {
        try await serving(words) { process, port, _ in
            let client = TestClient(port: port)
            for _ in 1...3 { _ = try await client.request("GET", "/v1/apps", headers: ["X-Forwarded-For: 192.0.2.7"]) }
            await process.terminate()
            #expect(try await ends(process) == 0)
            let warnings = await process.lines.filter { $0.contains("‘--trusted-proxies 127.0.0.1’") }
            #expect(warnings.count == (words.isEmpty ? 1 : 0), "\(warnings)")
        }
    }
}
