import Glibc
import PGMigrations
package import Postgres
import Synchronization

/// A temporary PostgreSQL server of this test process. The first test that needs it starts it, and it is removed at
/// the end of the process.
package actor TestCluster {
    package static let shared = TestCluster(directoryName: "shared", .throwaway)
    /// A second server, for tests that move spaces between databases: PostgreSQL replicates there. It is another one,
    /// so that all other tests need not wait for it.
    package static let replicating = TestCluster(directoryName: "replicating", .replicating)
    /// The server in which `withTestDatabase` makes databases.
    @TaskLocal package static var current = shared

    private let directoryName: String
    private let durability: Durability
    private var starting: Task<EmbeddedCluster, any Error>?
    private var templates: [[MigrationLine]: Task<String, any Error>] = [:]
    private var databaseCount = 0
    private var freeSlots = slotsMax
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// The maximum number of tests that have a database at the same time. Swift Testing starts all tests at once, but
    /// the server allows only 200 connections.
    private static let slotsMax = 12

    private static let directoryPrefix = "syncserver-tests-"
    /// The servers that are to be removed at the end of the process. They are static because the function that `atexit`
    /// calls cannot capture a value.
    private static let running = Mutex<[EmbeddedCluster]>([])

    private init(directoryName: String, _ durability: Durability) {
        (self.directoryName, self.durability) = (directoryName, durability)
    }

    /// Returns the server, and starts it at the first call.
    package func cluster() async throws -> EmbeddedCluster {
        if let starting { return try await starting.value }
        let task = Task { [directoryName, durability] in try await Self.start(directoryName, durability) }
        starting = task
        return try await task.value
    }

    /// Waits until this test may have a database. At most `slotsMax` tests have one at the same time.
    func enter() async {
        if freeSlots > 0 {
            freeSlots -= 1
        } else {
            await withCheckedContinuation { queue.append($0) }
        }
    }

    /// Ends a test's use of a database, so that the next test that waits may have one.
    func leave() {
        if queue.isEmpty { freeSlots += 1 } else { queue.removeFirst().resume() }
    }

    /// Returns the path of the directory for a PostgreSQL cluster that belongs to one test. If this process is killed,
    /// the next test process removes the directory.
    package static func directory(_ name: String) -> String {
        "\(temporaryDirectory)/\(directoryPrefix)\(getpid())-\(name)"
    }

    /// Makes a database owned by `syncserver_owner`, with these migrations applied, and returns its name. The
    /// migrations are applied to a template once per process, and databases are copied from it.
    func makeDatabase(migrated lines: [MigrationLine]) async throws -> String {
        let template = try await template(lines)
        let name = nextName("test")
        try await makeDatabase(name, from: template)
        return name
    }

    /// Drops a database, ending the sessions that are still in it.
    func drop(_ name: String) async throws {
        try await administer("DROP DATABASE \(name) WITH (FORCE)")
    }

    private func template(_ lines: [MigrationLine]) async throws -> String {
        if lines.isEmpty { return "template0" }
        if let task = templates[lines] { return try await task.value }
        let name = nextName("template")
        // The server's own files are the most numerous, and the same for each app.
        let server = lines.filter { $0.name == MigrationLine.serverLineName }
        let task = Task {
            try await makeDatabase(name, from: lines.count > server.count ? template(server) : "template0")
            try await Migrator(cluster().connectionString.with(database: name), lines: lines).up(contracts: .run)
            return name
        }
        templates[lines] = task
        return try await task.value
    }

    private func makeDatabase(_ name: String, from template: String) async throws {
        try await administer(
            "CREATE DATABASE \(name) TEMPLATE \(template) OWNER \(EmbeddedCluster.ownerRole) STRATEGY file_copy")
    }

    private func nextName(_ kind: String) -> String {
        databaseCount += 1
        return "\(kind)_\(databaseCount)"
    }

    /// Runs a statement as superuser, in a session of its own. PostgreSQL demands that statements such as CREATE
    /// DATABASE are sent alone; a shared session could send a DEALLOCATE beside them, to free a prepared statement.
    private func administer(_ sql: String) async throws {
        let session = try await Session.open(cluster().superuserConnectionString)
        do {
            try await session.execute(Command(Statement(unchecked: sql)))
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }

    private static func start(_ name: String, _ durability: Durability) async throws -> EmbeddedCluster {
        EmbeddedCluster.demolishAbandoned(in: temporaryDirectory, prefix: directoryPrefix)
        let cluster = try await EmbeddedCluster.start(directory: directory(name), durability: durability)
        let isFirst = running.withLock { running in
            running.append(cluster)
            return running.count == 1
        }
        if isFirst { atexit { for cluster in TestCluster.running.withLock(\.self) { cluster.demolish() } } }
        return cluster
    }

    /// The folder in which PostgreSQL clusters for tests are made. It is `/dev/shm` if there is enough shared memory,
    /// because databases are created many times faster there. Otherwise it is `$TMPDIR` or `/tmp`.
    package static var temporaryDirectory: String {
        var status = statvfs()
        if statvfs("/dev/shm", &status) == 0, UInt64(status.f_bavail) * UInt64(status.f_frsize) > sharedMemoryMinBytes {
            return "/dev/shm"
        }
        return getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    }

    /// The free shared memory that must be left for clusters to be made there, in bytes: enough for a dozen databases,
    /// their log, and other test processes.
    private static let sharedMemoryMinBytes: UInt64 = 2 << 30
}
