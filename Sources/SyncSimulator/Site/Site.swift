import Foundation
import Postgres
package import WireFormats

/// What the devices of a simulation talk to: the executable, over a PostgreSQL cluster of its own. Both can be ended at
/// any moment, and go on with what was there.
///
/// It knows the server from outside: how it is started, and the few tables that its operator would look into.
package final class Site {
    /// How the executable is started.
    package struct Program: Sendable {
        package let executable: String
        /// The folder of migration files.
        package let migrations: String
        /// For the server's process only.
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
    /// Those that are running, by their places.
    private var servers: [Int: ServedProcess] = [:]
    /// How many there should be.
    private var serverCount = 1
    /// What the server's app is held back to; `nil` once it serves all.
    private var through: String?
    /// Versions that an operator has ended and not restored, by their numbers.
    var endedVersions: Set<String> = []
    /// How often the server was started: connections to an earlier one are of no use.
    private(set) var starts = 0

    /// Directories of clusters have this and the process's number in their names, so that what a killed process left
    /// can be cleared away.
    private static let directoryPrefix = "syncserver-site-"

    private init(_ program: Program, directory: String, cluster: EmbeddedCluster) {
        self.program = program
        self.directory = directory
        self.cluster = cluster
        database = cluster.connectionString
    }

    /// A cluster of its own, without a server yet.
    package static func open(_ program: Program) async throws -> Site {
        let parent = FileManager.default.temporaryDirectory.path
        EmbeddedCluster.demolishAbandoned(in: parent, prefix: directoryPrefix)
        let directory = "\(parent)/\(directoryPrefix)\(getpid())-\(ID.random().description.prefix(8))"
        return Site(
            program, directory: directory,
            cluster: try await EmbeddedCluster.start(directory: directory, durability: .crashes))
    }

    /// Ends everything and leaves no file.
    package func close() {
        for server in servers.values { server.kill() }
        cluster.demolish()
        for place in 0..<serverCount { try? FileManager.default.removeItem(atPath: log(place)) }
    }

    /// Where each of the servers listens.
    package var ports: [Int] { servers.sorted { $0.key < $1.key }.map(\.value.port) }

    private func log(_ place: Int) -> String { "\(directory)-\(place).log" }

    /// What the servers said lately, for a report of what they did wrong.
    package var lastWords: String {
        (0..<serverCount).map { place in
            let text = (try? String(contentsOfFile: log(place), encoding: .utf8)) ?? ""
            return text.split(separator: "\n").suffix(12).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Serves a new database, migrated to the head, or as far as one version of an app needs.
    ///
    /// - Parameters:
    ///   - through: `APP/VERSION`.
    ///   - servers: how many are to serve it.
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

    /// Starts those servers that do not run over the database that there is, and applies what migrations are pending.
    package func start() throws {
        var words = ["--migrate", "auto", "--migrations", program.migrations, "--no-gc", "--allow-unfrozen"]
        if let through { words += ["--through", through] }
        for place in 0..<serverCount where servers[place] == nil {
            let environment = program.environment.merging([
                "DATABASE_URL": database.textRevealingSecrets, "PGAPPNAME": Site.sessionName(place),
            ]) { $1 }
            servers[place] = try ServedProcess(
                executable: program.executable, words, environment: environment, log: log(place))
        }
        starts += 1
    }

    /// What PostgreSQL knows the sessions of a server by.
    private static func sessionName(_ place: Int) -> String { "simulated server \(place)" }

    /// `kill -9`. What PostgreSQL was told by then it still does; when this returns, it has.
    package func killServer(listeningOn port: Int) async throws {
        guard let (place, server) = servers.first(where: { $0.value.port == port }) else { return }
        server.kill()
        servers[place] = nil
        let session = try await Session.open(superuser)
        let others = Command(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
            [.text(Site.sessionName(place))])
        while try await session.execute(others).int(0, 0) > 0 { try await Task.sleep(for: .milliseconds(1)) }
        await session.close()
    }

    /// PostgreSQL stops without a shutdown, as in a crash. The server goes on without it.
    func crashDatabase() async throws {
        try await cluster.crash()
    }

    /// PostgreSQL starts again and recovers.
    func recoverDatabase() async throws {
        cluster = try await EmbeddedCluster.start(directory: directory, durability: .crashes)
    }

    /// The servers are stopped and started with the plan at its head, and their database migrated.
    package func migrate() async throws {
        for port in ports { try await killServer(listeningOn: port) }
        through = nil
        try start()
    }

    /// Whether the server serves an older plan than the devices may know.
    package var isHeldBack: Bool { through != nil }

    /// A token that may write to the space. PostgreSQL hashes it, as the server will.
    package func grant(_ space: ID, app: String) async throws -> String {
        // Another form than of the tokens that are given out is refused unseen.
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

    /// Something that is another after each push that stored or held anything.
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

    /// Keeps what the database holds now, in place of what was kept before. The servers are killed meanwhile.
    package func takeBackup() async throws {
        for port in ports { try await killServer(listeningOn: port) }
        try await copyDatabase(from: databaseName, to: "\(databaseName)_backup")
        try start()
    }

    /// The database holds what it did when `takeBackup` was called, as its operator restores it.
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

    /// Row-level security does not hold for it.
    var superuser: ConnectionString {
        cluster.superuserConnectionString.with(database: database.database ?? "postgres")
    }
}
