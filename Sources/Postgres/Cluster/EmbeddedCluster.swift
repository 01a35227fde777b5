import Glibc

/// A private PostgreSQL server in a directory, for a laptop, a demo or a test run.
///
/// The server listens only on a Unix-domain socket, in a directory that only its own user may enter; so it accepts
/// every connection without a password. Its database is `syncserver`, owned by the role `syncserver_owner`, which may
/// create roles and databases and is no superuser. The superuser is `postgres`. The login `syncserver_server` may only
/// serve requests.
///
/// Several processes may use one directory at a time: the first one starts the server, and the last one stops it. Each
/// process has a shared lock on a file, which the kernel releases even after `kill -9`. So the next start takes over a
/// server whose processes were all killed, and PostgreSQL recovers by itself after a loss of power.
package final class EmbeddedCluster: Sendable {
    package let directory: ClusterDirectory
    private let users: FileLock
    /// The way in which this process obtained the server: it started the server, or found it running (`adopted`).
    package let origin: Origin

    /// The way in which this process came to its server: the process started it, or found it running (`adopted`).
    package enum Origin: Sendable, Hashable {
        case started, adopted
    }

    package static let databaseName = "syncserver"
    package static let ownerRole = "syncserver_owner"
    package static let servingLogin = "syncserver_server"
    private static let superuserRole = "postgres"

    /// The directory of the server's data, log and locks.
    package var path: String { directory.path }

    /// True if `path` is not the requested directory, because the server's user could not reach that one.
    package var isMoved: Bool { directory.isMoved }

    /// The free disk space, in bytes; `nil` if the file system does not report it.
    package var bytesFree: Int64? { Files.bytesFree(at: path) }

    /// The connection to the database `syncserver` as its owner. Migrations use it.
    package var connectionString: ConnectionString { string(Self.ownerRole, Self.databaseName) }

    /// The connection to the database `syncserver` as the login `syncserver_server`, which may only serve requests.
    package var servingConnectionString: ConnectionString { string(Self.servingLogin, Self.databaseName) }

    /// The connection to the maintenance database as superuser: for making databases in tests.
    package var superuserConnectionString: ConnectionString { string(Self.superuserRole, "postgres") }

    private init(directory: ClusterDirectory, users: FileLock, origin: Origin) {
        self.directory = directory
        self.users = users
        self.origin = origin
    }

    /// Starts the server in `directory`, or uses the server that already runs there. Creates the cluster first if there
    /// is none.
    ///
    /// - Parameter startMax: the longest time to wait for another process that starts or stops the server, and for the
    ///   server's recovery after a crash.
    package static func start(
        directory requested: String, durability: Durability = .durable, startMax: Duration = .seconds(120)
    ) async throws(ClusterError) -> EmbeddedCluster {
        let directory = ClusterDirectory(requested: requested)
        try directory.make()
        let deadline = ContinuousClock.now + startMax
        return try await withStartLock(directory, until: deadline) { () throws(ClusterError) in
            let users: FileLock
            do throws(FileError) { users = try FileLock(path: directory.usersLock) } catch { throw .file(error) }
            let running = Postmaster.running(in: directory.data)
            let cluster = EmbeddedCluster(
                directory: directory, users: users, origin: running == nil ? .started : .adopted)
            if let running {
                let isReady = try await cluster.becomesReady(deadline) { running.isAlive }
                guard isReady else { throw cluster.didNotStart }
            } else {
                try await initialize(directory, durability)
                try await cluster.launch(durability, deadline)
            }
            try await cluster.makeDatabase()
            guard users.tryShared() else { throw .busy(directory: directory.path) }
            return cluster
        }
    }

    /// Ends this process's use of the cluster, and stops the server if no other process uses it. Close this process's
    /// sessions first, because stopping the server ends them.
    package func stop() async throws(ClusterError) {
        let deadline = ContinuousClock.now + Self.stopMax
        try await Self.withStartLock(directory, until: deadline) { () throws(ClusterError) in
            guard users.tryExclusive() else {
                users.unlock()
                return
            }
            defer { users.unlock() }
            try await Self.end(Postmaster.running(in: directory.data), until: deadline)
        }
    }

    static func end(_ postmaster: Postmaster?, until deadline: ContinuousClock.Instant) async throws(ClusterError) {
        guard let postmaster else { return }
        postmaster.stop(.fast)
        while postmaster.isAlive {
            // If a checkpoint takes longer, recovery repeats it.
            if ContinuousClock.now > deadline { postmaster.stop(.immediate) }
            try await pause()
        }
    }

    static let stopMax = Duration.seconds(60)
}

extension EmbeddedCluster {
    private func string(_ user: String, _ database: String) -> ConnectionString {
        ConnectionString(
            socketDirectory: directory.socketDirectory, port: ClusterDirectory.port, user: user, database: database)
    }

    /// Runs `body` while no other process may start or stop the server of `directory`. Waits for such a process until
    /// `deadline`.
    static func withStartLock<Value>(
        _ directory: ClusterDirectory, until deadline: ContinuousClock.Instant,
        _ body: () async throws(ClusterError) -> Value
    ) async throws(ClusterError) -> Value {
        let lock: FileLock
        do { lock = try FileLock(path: directory.startLock) } catch { throw .file(error) }
        while !lock.tryExclusive() {
            if ContinuousClock.now > deadline { throw .busy(directory: directory.path) }
            try await pause()
        }
        defer { lock.unlock() }
        return try await body()
    }

    /// Creates the cluster's files if they do not exist. They are created in another directory that is then renamed, so
    /// that either all of them exist or none.
    private static func initialize(_ directory: ClusterDirectory, _ durability: Durability) async throws(ClusterError) {
        if Files.exists("\(directory.data)/PG_VERSION") { return }
        let installation = try PostgresInstallation.fitting(dataDirectory: directory.data)
        let log = directory.initializationLog
        do { try Files.removeTree(directory.unfinishedData) } catch { throw .file(error) }
        var arguments = [
            "--pgdata=\(directory.unfinishedData)", "--username=\(superuserRole)", "--encoding=UTF8",
            "--locale=C.UTF-8", "--auth-local=trust", "--auth-host=reject", "--no-instructions",
        ]
        if durability == .throwaway || durability == .replicating { arguments.append("--no-sync") }
        try await directory.program("\(installation.programs)/initdb", arguments).run(log: log)
        do { try Files.rename(directory.unfinishedData, to: directory.data) } catch { throw .file(error) }
    }

    /// Starts the server, and tries again if a start fails. If the last server was ended by `kill -9`, its sessions may
    /// need a moment to notice that and to release the shared memory.
    private func launch(_ durability: Durability, _ deadline: ContinuousClock.Instant) async throws(ClusterError) {
        let installation = try PostgresInstallation.fitting(dataDirectory: directory.data)
        let settings =
            [
                "listen_addresses=", "unix_socket_directories=\(directory.socketDirectory)",
                "unix_socket_permissions=0700", "port=\(ClusterDirectory.port)", "log_destination=stderr",
                "logging_collector=off",
            ] + durability.settings
        let program = directory.program(
            "\(installation.programs)/postgres", ["-D", directory.data] + settings.flatMap { ["-c", $0] })
        for _ in 1...Self.launchAttemptsMax {
            let child: pid_t
            do throws(FileError) {
                try Postmaster.forgetCrashed(in: directory)
                child = try program.start(log: directory.log)
            } catch {
                throw .file(error)
            }
            if try await becomesReady(deadline, while: { Program.status(ofEnded: child) == nil }) { return }
            try await Self.pause(.milliseconds(300))
        }
        throw didNotStart
    }

    /// The maximum number of attempts to start the server. So many attempts take long enough for the sessions of a
    /// killed server to end.
    private static let launchAttemptsMax = 10

    /// Waits until the server accepts connections.
    ///
    /// - Returns: true if the server accepts connections; false as soon as it is dead.
    /// - Throws: `didNotStart` at the deadline.
    private func becomesReady(
        _ deadline: ContinuousClock.Instant, while isAlive: () -> Bool
    ) async throws(ClusterError) -> Bool {
        // On a busy machine the first attempt may come after the deadline, and time out itself.
        var attempts = 0
        while isAlive() {
            attempts += 1
            if let session = try? await Session.open(superuserConnectionString) {
                await session.close()
                return true
            }
            if ContinuousClock.now > deadline, attempts >= Self.attemptsMin { throw didNotStart }
            try await Self.pause()
        }
        return false
    }

    private static let attemptsMin = 5

    private var didNotStart: ClusterError {
        .didNotStart(logPath: directory.log, log: LogFile(path: directory.log).tail)
    }

    /// Creates the roles and the database that the server needs, if they do not exist.
    private func makeDatabase() async throws(ClusterError) {
        do throws(PGError) {
            let session = try await Session.open(superuserConnectionString)
            for (question, answer) in Self.made where try await session.execute(Command(question)).count == 0 {
                try await session.execute(Command(answer))
            }
            await session.close()
        } catch {
            throw .database(error)
        }
    }

    /// The statements that create the needed roles, privileges and databases. Each is paired with a query, and runs
    /// only if the query returns no row. On a replica everything exists already, copied from the primary.
    private static let made: [(Statement, Statement)] = [
        (
            "SELECT FROM pg_roles WHERE rolname = 'syncserver_owner'",
            "CREATE ROLE syncserver_owner LOGIN CREATEROLE"
        ),
        // For the databases in which migrations are rehearsed.
        (
            "SELECT FROM pg_roles WHERE rolname = 'syncserver_owner' AND rolcreatedb",
            "ALTER ROLE syncserver_owner CREATEDB"
        ),
        ("SELECT FROM pg_roles WHERE rolname = 'syncserver_serving'", "CREATE ROLE syncserver_serving NOLOGIN"),
        // In clusters that were made before the serving login, the owner made the role.
        (
            "SELECT FROM pg_roles WHERE rolname = 'syncserver_server'",
            """
            DO $$ BEGIN
                CREATE ROLE syncserver_server LOGIN IN ROLE syncserver_serving;
                GRANT syncserver_serving TO syncserver_owner WITH ADMIN OPTION;
            END $$
            """
        ),
        (
            "SELECT FROM pg_database WHERE datname = 'syncserver'",
            "CREATE DATABASE syncserver OWNER syncserver_owner"
        ),
    ]

    static func pause(_ length: Duration = Program.pollInterval) async throws(ClusterError) {
        do { try await Task.sleep(for: length) } catch { throw .cancelled }
    }
}
