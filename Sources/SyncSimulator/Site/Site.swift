import Foundation
import Postgres
package import WireFormats

/// The server side of a simulation: the executable, over a PostgreSQL cluster of its own. Both can be ended at any
/// moment, and continue with the stored data.
///
/// It uses only the server's public interface: its command line, and the few tables that an operator would look into.
package final class Site {
    /// The executable and its parameters.
    package struct Program: Sendable {
        package let executable: String
        /// The folder of migration files.
        package let migrations: String
        /// Environment variables for the server's process only.
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
    /// The running servers, by their indices.
    private var servers: [Int: ServedProcess] = [:]
    /// The number of servers that should run.
    private var serverCount = 1
    /// The newest version of the app that the server knows, as `APP/VERSION`; `nil` if it knows all.
    private var through: String?
    /// Numbers of the versions that an operator has retired and not restored.
    var endedVersions: Set<String> = []
    /// The number of starts so far. Connections to a server of an earlier start are unusable.
    private(set) var starts = 0

    /// The prefix of the names of cluster directories. The process id follows, so that directories of killed processes
    /// are recognized and removed.
    private static let directoryPrefix = "syncserver-site-"

    private init(_ program: Program, directory: String, cluster: EmbeddedCluster) {
        self.program = program
        self.directory = directory
        self.cluster = cluster
        database = cluster.connectionString
    }

    /// Starts a cluster, without a server yet.
    package static func open(_ program: Program) async throws -> Site {
        let parent = FileManager.default.temporaryDirectory.path
        EmbeddedCluster.demolishAbandoned(in: parent, prefix: directoryPrefix)
        let directory = "\(parent)/\(directoryPrefix)\(getpid())-\(ID.random().description.prefix(8))"
        return Site(
            program, directory: directory,
            cluster: try await EmbeddedCluster.start(directory: directory, durability: .crashes))
    }

    /// Stops everything and removes all files.
    package func close() {
        for server in servers.values { server.kill() }
        cluster.demolish()
        for index in 0..<serverCount { try? FileManager.default.removeItem(atPath: log(index)) }
    }

    /// The ports of the servers.
    package var ports: [Int] { servers.sorted { $0.key < $1.key }.map(\.value.port) }

    private func log(_ index: Int) -> String { "\(directory)-\(index).log" }

    /// The last lines of the servers' output, for a report of a failure.
    package var lastWords: String {
        (0..<serverCount).map { index in
            let text = (try? String(contentsOfFile: log(index), encoding: .utf8)) ?? ""
            return text.split(separator: "\n").suffix(12).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Serves a new database, with all migrations applied, or only those that one version of an app needs.
    ///
    /// - Parameters:
    ///   - through: that version, as `APP/VERSION`; `nil` for all migrations.
    ///   - servers: the number of servers.
    package func serveNewDatabase(through: String?, servers count: Int) async throws {
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
        try start()
    }

    /// Starts the servers that are not running over the existing database, and applies pending migrations.
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

    /// The application name of a server's PostgreSQL sessions.
    private static func sessionName(_ index: Int) -> String { "simulated server \(index)" }

    /// Kills a server (`kill -9`) and waits until PostgreSQL has finished the statements that it had received.
    package func killServer(listeningOn port: Int) async throws {
        guard let (index, server) = servers.first(where: { $0.value.port == port }) else { return }
        server.kill()
        servers[index] = nil
        let session = try await Session.open(superuser)
        let others = Command(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
            [.text(Site.sessionName(index))])
        while try await session.execute(others).int(0, 0) > 0 { try await Task.sleep(for: .milliseconds(1)) }
        await session.close()
    }

    /// Stops PostgreSQL without a shutdown, as in a crash. The server keeps running without it.
    func crashDatabase() async throws {
        try await cluster.crash()
    }

    /// Starts PostgreSQL again, which recovers.
    func recoverDatabase() async throws {
        cluster = try await EmbeddedCluster.start(directory: directory, durability: .crashes)
    }

    /// Restarts the servers with the newest plan, and migrates their database.
    package func migrate() async throws {
        for port in ports { try await killServer(listeningOn: port) }
        through = nil
        try start()
    }

    /// True if the server serves an older plan than the devices may use.
    package var isHeldBack: Bool { through != nil }

    /// Makes a token that may write to the space. PostgreSQL computes its hash, in the same way as the server.
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

    /// Returns a text that differs after each push from which the server stored or quarantined anything.
    func witness(of space: ID) async throws -> String {
        let session = try await Session.open(superuser)
        let rows = try await session.execute(
            Command(
                """
                SELECT concat((SELECT xmin FROM sync.space WHERE space_id = $1), ' ',
                    (SELECT max(id) FROM sync.quarantine WHERE space_id = $1))
                """, [.id(space)]))
        await session.close()
        return rows.string(0, 0)
    }

    /// Copies the database as a backup, which replaces an earlier one. The servers are killed first.
    package func takeBackup() async throws {
        for port in ports { try await killServer(listeningOn: port) }
        try await copyDatabase(from: databaseName, to: "\(databaseName)_backup")
        try start()
    }

    /// Restores the database from the copy that `takeBackup` made, as its operator would.
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

    /// The connection of a superuser, whom row-level security does not restrict.
    var superuser: ConnectionString {
        cluster.superuserConnectionString.with(database: database.database ?? "postgres")
    }
}
