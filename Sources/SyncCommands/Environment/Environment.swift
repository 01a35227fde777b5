import Glibc
import Operations
package import PGMigrations
import PGStore
import Postgres
package import WireFormats

/// The environment in which a command runs: the plans of the apps, the migration files, the database.
package struct Environment {
    /// The path of the private PostgreSQL cluster, relative to the working directory.
    static let clusterDirectory = ".syncserver/postgres"
    /// The role that serves requests. The first migration creates it.
    static let servingRole = LoginRights.servingRoleName

    package static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The plans of the apps that the program serves. They are a task-local value, because every command needs them.
    @TaskLocal package static var apps: [any SchemaMigrationPlan.Type] = []

    /// The words of the program's command line, its own name first.
    @TaskLocal static var arguments: [String] = ["syncserver"]

    static func plans() throws -> [Plan] {
        try apps.map { try Plan($0) }
    }

    /// Returns the type that declares the plan of the app named `app`.
    package static func declaration(_ app: String) throws(UsageError) -> any SchemaMigrationPlan.Type {
        guard let declaration = apps.first(where: { $0.app == app }) else {
            throw UsageError("There is no app ‘\(app)’; there is \(apps.map { $0.app }.joined(separator: ", ")).")
        }
        return declaration
    }

    /// Returns the migration lines (ordered lists of SQL files) of the server's own tables and of these apps.
    package static func migrations(_ options: Options, for plans: [Plan]) throws -> [MigrationLine] {
        let directory = try migrationsDirectory(options)
        let lines = try MigrationLine.readAll(directory: directory, apps: plans.map(\.app))
        let missing = plans.filter { plan in !lines.contains { $0.name == plan.app } }
        guard let first = missing.first else { return lines }
        throw CommandError(
            "\(directory) has no migrations for \(missing.map(\.app).joined(separator: ", ")). Draft them: "
                + "‘syncserver schema sql \(first.schemas[first.newest].version) --app \(first.app)’.")
    }

    /// Returns the folder of migrations, given by `--migrations` or `SYNC_MIGRATIONS`. Otherwise, it searches for a
    /// folder `Migrations` that contains a folder of the server or of one of the apps. It searches in the working
    /// directory, in each folder above the program, and in the folder `share/PROGRAM` of each of the latter.
    package static func migrationsDirectory(_ options: Options) throws(CommandError) -> String {
        if let stated = options["migrations"] ?? variable("SYNC_MIGRATIONS") { return stated }
        var candidates = ["Migrations"]
        if let program = programPath {
            var folder = program[...]
            // The layout of installations by `script/release` and packages.
            let name = CompatSpec.server(beside: Terminal.programName)
            while let slash = folder.lastIndex(of: "/") {
                folder = folder[..<slash]
                candidates += ["\(folder)/Migrations", "\(folder)/share/\(name)/Migrations"]
            }
        }
        let names = [MigrationLine.serverLineName] + apps.map { $0.app }
        let found = candidates.first { folder in names.contains { access("\(folder)/\($0)", R_OK) == 0 } }
        guard let found else {
            throw CommandError(
                "No folder of migrations was found. Name it with ‘--migrations PATH’, or draft what goes into "
                    + "‘Migrations’ here: ‘syncserver schema sql VERSION --app "
                    + "\(options["app"] ?? apps.last?.app ?? "APP")’."
            )
        }
        return found
    }

    /// The path of the running program's executable file; `nil` if it cannot be determined.
    package static var programPath: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    /// Reads a secret from the one place where it is given: the value of the environment variable `NAME`, the contents
    /// of the file whose path is in `NAME_FILE`, or the credential `NAME` that systemd gives a service
    /// (`LoadCredential=`, systemd.exec(5)). `nil` if the secret is not given.
    ///
    /// - Throws: `UsageError`, if it is given in two places; `FileError`.
    static func secret(_ name: String) throws -> String? {
        var credential = variable("CREDENTIALS_DIRECTORY").map { "\($0)/\(name)" }
        if let path = credential, access(path, R_OK) != 0 { credential = nil }
        let stated = variable(name)
        let path = variable("\(name)_FILE")
        let sources = [
            stated.map { _ in name }, path.map { _ in "\(name)_FILE" },
            credential.map { _ in "the credential \(name) of systemd" },
        ].compactMap(\.self)
        guard sources.count < 2 else {
            throw UsageError("\(sources.joined(separator: " and ")) both say something. Leave one of them out.")
        }
        if path == nil, getenv("\(name)_FILE") != nil {
            throw UsageError("\(name)_FILE is empty. Name the file, or unset it.")
        }
        if let stated { return stated }
        guard let path = path ?? credential else { return nil }
        let bytes = try Files.settings(at: path)
        // Editors and `echo` add a line's end, and people leave blanks.
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let start = bytes.firstIndex { !blanks.contains($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? start
        let secret = String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
        guard !secret.isEmpty else { throw UsageError("\(path) is empty, and should hold \(name).") }
        return secret
    }

    /// Returns the database given by `--database` or `DATABASE_URL`; otherwise starts the private cluster and returns
    /// its database.
    ///
    /// - Parameter say: called with a text about the location of the private cluster.
    static func database(
        _ options: Options, saying say: (String) -> Void = { Terminal.note($0) }
    ) async throws -> Database {
        if let string = try statedDatabase(options) { return Database(string: string, serving: string, cluster: nil) }
        let cluster = try await EmbeddedCluster.start(directory: clusterDirectory)
        say("No database is named (--database, DATABASE_URL): this uses the private one in \(cluster.path).")
        return Database(
            string: cluster.connectionString, serving: cluster.servingConnectionString, cluster: cluster)
    }

    /// Returns the database given by `--database` or `DATABASE_URL`; `nil` if neither is given.
    static func statedDatabase(_ options: Options) throws -> ConnectionString? {
        try (options["database"] ?? secret("DATABASE_URL")).map { try ConnectionString($0) }
    }

    /// Opens a session with the login for migrations, and passes it to `body`.
    static func withSession<Value>(
        _ options: Options, _ body: (Session) async throws -> Value
    ) async throws -> Value {
        let database = try await database(options)
        let result: Result<Value, any Error>
        do {
            result = .success(try await OwnerDatabase(database.string).withSession(body))
        } catch {
            result = .failure(error)
        }
        try await database.leave()
        return try result.get()
    }

    /// A database. If it is in the private cluster, the command must leave the cluster at its end, by `leave`.
    struct Database {
        /// The connection string that the user gave. For the private cluster, it is that of the login which owns the
        /// tables.
        let string: ConnectionString
        /// The connection string for serving requests; for the private cluster, that of a login which is not permitted
        /// anything else.
        let serving: ConnectionString
        let cluster: EmbeddedCluster?

        func leave() async throws {
            try await cluster?.stop()
        }
    }
}
