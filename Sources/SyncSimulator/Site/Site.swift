import Foundation
import Postgres
package import WireFormats

/// The server side of a simulation: server processes, and a PostgreSQL cluster of their own. A simulation may kill a
/// server or PostgreSQL at any moment, and start it again with the stored data.
///
/// This class uses only what an operator uses: the server's command line, and a few tables.
package final class Site {
    /// The server's program, and the parameters with which it is started.
    package struct Program: Sendable {
        package let executable: String
        /// The folder of migration files.
        package let migrations: String
        /// Environment variables for the server's processes, and for no other command.
        package var environment: [String: String]

        package init(executable: String, migrations: String, environment: [String: String] = [:]) {
            self.executable = executable
            self.migrations = migrations
            self.environment = environment
        }
    }

    let program: Program
    private let directory: String
    private var cluster: EmbeddedCluster
    private var databaseNumber = 0
    private(set) var database: ConnectionString
    /// The running server processes, by index from 0.
    private var servers: [Int: ServedProcess] = [:]
    /// The second database; `nil` if all spaces are in one.
    private(set) var second: ConnectionString?
    /// The number of servers that should run.
    private var serverCount = 1
    /// The newest version that the server knows before its migration, as `APP/VERSION`; `nil` if it knows all versions.
    private var through: String?
    /// The numbers of the versions that are retired at present, such as `1.0.0`.
    var endedVersions: Set<String> = []
    /// The number of times that servers have been started. After each start, connections must be made anew.
    private(set) var starts = 0

    /// The beginning of the names of cluster directories. The process id follows it, so that the directories that a
    /// killed process left behind are recognised and removed.
    private static let directoryPrefix = "syncserver-site-"

    private init(_ program: Program, directory: String, cluster: EmbeddedCluster) {
        self.program = program
        self.directory = directory
        self.cluster = cluster
        database = cluster.connectionString
    }

    /// Starts a PostgreSQL cluster, without a server yet.
    package static func open(_ program: Program) async throws -> Site {
        let parent = FileManager.default.temporaryDirectory.path
        EmbeddedCluster.demolishAbandoned(in: parent, prefix: directoryPrefix)
        let directory = "\(parent)/\(directoryPrefix)\(getpid())-\(ID.random().description.prefix(8))"
        return Site(
            program, directory: directory,
            cluster: try await EmbeddedCluster.start(directory: directory, durability: .crashes))
    }

    /// Stops the servers and PostgreSQL, and removes all files.
    package func close() {
        for server in servers.values { server.kill() }
        cluster.demolish()
        for index in 0..<serverCount { try? FileManager.default.removeItem(atPath: log(index)) }
    }

    /// The ports of the running servers, in the order of their indices.
    package var ports: [Int] { servers.sorted { $0.key < $1.key }.map(\.value.port) }

    private func log(_ index: Int) -> String { "\(directory)-\(index).log" }

    /// The last lines of the servers' output, for a report of a failure.
    package var lastWords: String {
        (0..<serverCount).map { index in
            let text = (try? String(contentsOfFile: log(index), encoding: .utf8)) ?? ""
            return text.split(separator: "\n").suffix(12).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Starts servers over a new database.
    ///
    /// - Parameters:
    ///   - through: the version of an app up to which migrations are applied, as `APP/VERSION`; `nil` to apply all
    ///     migrations.
    ///   - count: the number of servers.
    ///   - isDivided: true for two databases, between which spaces can move.
    package func serveNewDatabase(through: String?, servers count: Int, isDivided: Bool = false) async throws {
        for server in servers.values { server.kill() }
        servers = [:]
        serverCount = count
        databaseNumber += 1
        let name = databaseName
        let session = try await Session.open(cluster.superuserConnectionString)
        try await session.execute(Command(Statement(unchecked: "CREATE DATABASE \(name) OWNER syncserver_owner")))
        await session.close()
        database = cluster.connectionString.with(database: name)
        endedVersions = []
        self.through = through
        second = nil
        try start()
        if isDivided { try await divide(name) }
    }

    /// Adds a second database with the same tables.
    private func divide(_ name: String) async throws {
        let other = "\(name)_second"
        for port in ports { try await killServer(listeningOn: port) }
        try await copyDatabase(from: name, to: other)
        second = cluster.connectionString.with(database: other)
        _ = try runAsOperator(["database", "add", Site.secondName, "--dbname", other])
        try start()
    }

    /// Starts the servers that are not running, over the existing database. The first one applies pending migrations.
    package func start() throws {
        var words = ["--migrate", "auto", "--migrations", program.migrations, "--no-gc", "--allow-unfrozen"]
        if let through { words += ["--through", through] }
        for index in 0..<serverCount where servers[index] == nil {
            let environment = program.environment.merging([
                "DATABASE_URL": database.textRevealingSecrets, "PGAPPNAME": Site.sessionName(index),
            ]) { $1 }
            servers[index] = try ServedProcess(
                executable: program.executable, words, environment: environment, log: log(index))
        }
        starts += 1
    }

    /// Returns the name that a server gives to its PostgreSQL sessions (`application_name`), by which they are found.
    private static func sessionName(_ index: Int) -> String { "simulated server \(index)" }

    /// Kills a server (`kill -9`), and waits until PostgreSQL has ended its sessions, so that no statement of it takes
    /// effect later.
    package func killServer(listeningOn port: Int) async throws {
        guard let (index, server) = servers.first(where: { $0.value.port == port }) else { return }
        server.kill()
        servers[index] = nil
        let session = try await Session.open(superuser)
        let others = Command(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1",
            [.text(Site.sessionName(index))])
        while try await session.execute(others).int(0, 0) > 0 { try await Task.sleep(for: .milliseconds(1)) }
        await session.close()
    }

    /// Stops PostgreSQL without a shutdown, as in a crash. The servers keep running without it.
    func crashDatabase() async throws {
        try await cluster.crash()
    }

    /// Starts PostgreSQL again after `crashDatabase`. It then recovers its data by itself.
    func recoverDatabase() async throws {
        cluster = try await EmbeddedCluster.start(directory: directory, durability: .crashes)
    }

    /// Kills the servers, and starts them again with the newest plan; they migrate the database.
    package func migrate() async throws {
        for port in ports { try await killServer(listeningOn: port) }
        through = nil
        try start()
    }

    /// True if the server serves an older plan than the newest, so that it does not know all versions that devices may
    /// have.
    package var isHeldBack: Bool { through != nil }

    /// Creates a token that may write to the space, and returns its secret. It is inserted into the table directly,
    /// with a hash that PostgreSQL computes as the server does.
    package func grant(_ space: ID, app: String) async throws -> String {
        // The server refuses a token of another form without looking it up.
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let secret = "sync_\(Base64.encodeURLSafe(bytes))"
        let session = try await Session.open(superuser)
        try await session.execute(
            Command(
                """
                INSERT INTO sync.token (secret_hash, app, subject, role, spaces)
                VALUES (sha256(convert_to($1, 'UTF8')), $2, 'simulator', 'write', $3)
                """, [.text(secret), .text(app), .ids([space])]))
        await session.close()
        return secret
    }

    /// Returns a text that changes when the server stores or quarantines anything from a push. So the simulation
    /// notices that a push was stored.
    func witness(of space: ID) async throws -> String {
        let command = Command(
            """
            SELECT concat((SELECT xmin FROM sync.space WHERE space_id = $1), ' ',
                (SELECT max(id) FROM sync.quarantine WHERE space_id = $1))
            """, [.id(space)])
        return try await inEach { session in try await session.execute(command).string(0, 0) }.joined(separator: ", ")
    }

    /// Runs `body` as superuser in each database, and returns its results.
    func inEach<Value>(_ body: (Session) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for string in [database, second].compactMap(\.self) {
            let session = try await Session.open(
                cluster.superuserConnectionString.with(database: string.database ?? "postgres"))
            values.append(try await body(session))
            await session.close()
        }
        return values
    }

    /// The environment of a command that a superuser runs, with the program's own variables.
    var operatorEnvironment: [String: String] {
        program.environment.merging(["PATH": "/usr/bin:/bin", "DATABASE_URL": superuser.textRevealingSecrets]) { $1 }
    }

    /// The path of the file for the output of moves.
    var moveLog: String { "\(directory)-move.log" }

    /// Makes a backup of the database, which replaces the previous one. The servers are killed before, and started
    /// again afterwards.
    package func takeBackup() async throws {
        for port in ports { try await killServer(listeningOn: port) }
        try await copyDatabase(from: databaseName, to: "\(databaseName)_backup")
        try start()
    }

    /// Restores the database from the copy that `takeBackup` made, as its operator would: the servers are killed, the
    /// epoch (the mark of the database's history) is renewed, and the servers are started again.
    package func putBackupBack() async throws {
        for port in ports { try await killServer(listeningOn: port) }
        try await copyDatabase(from: "\(databaseName)_backup", to: databaseName)
        try renewEpoch()
        try start()
    }

    private var databaseName: String { "simulated_\(databaseNumber)" }

    private func copyDatabase(from source: String, to copy: String) async throws {
        let session = try await Session.open(cluster.superuserConnectionString)
        try await session.execute(Command(Statement(unchecked: "DROP DATABASE IF EXISTS \(copy)")))
        try await session.execute(
            Command(Statement(unchecked: "CREATE DATABASE \(copy) TEMPLATE \(source) OWNER syncserver_owner")))
        await session.close()
    }

    /// The connection string of a superuser, whom row-level security does not restrict.
    var superuser: ConnectionString {
        cluster.superuserConnectionString.with(database: database.database ?? "postgres")
    }
}
