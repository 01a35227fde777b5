import Foundation
package import Postgres
package import SyncTesting

/// A pgbouncer (connection pooler) for one test, in front of the tests' PostgreSQL, on a socket in a directory of its
/// own. Like PostgreSQL, pgbouncer does not run as root; it runs as PostgreSQL's user.
package struct PgBouncer {
    /// The pooling mode. With `session`, a client keeps its database session until it disconnects; with `transaction`,
    /// it gets one for each transaction.
    package enum Mode: String, CaseIterable, Sendable {
        case session, transaction
    }

    /// The path of pgbouncer where Debian's package `pgbouncer` installs it; `nil` if it is not installed.
    package static let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Starts a pgbouncer for a database, and passes `body` the connection string with which the database is reached
    /// through it. The pgbouncer is stopped afterwards.
    package static func with<Value>(
        _ mode: Mode, _ database: TestDatabase, _ body: (ConnectionString) async throws -> Value
    ) async throws -> Value {
        let cluster = try await TestCluster.shared.cluster().directory
        let path = TestCluster.directory("bouncer-\(database.name)")
        try Files.makeDirectory(path, mode: 0o700)
        defer { try? Files.removeTree(path) }
        let user = EmbeddedCluster.ownerRole
        try write(settings(mode, of: cluster, at: path), to: "\(path)/pgbouncer.ini")
        try write("\"\(user)\" \"\"\n", to: "\(path)/users.txt")
        try Files.changeOwner(of: path, to: cluster.account)
        let bouncer = Program(
            path: program ?? "pgbouncer", arguments: ["\(path)/pgbouncer.ini"], account: cluster.account)
        let child = try bouncer.start(log: "\(path)/log")
        // No test needs pgbouncer's connections any more.
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        let string = ConnectionString(socketDirectory: path, port: port, user: user, database: database.name)
        try await eventually("pgbouncer listens") {
            guard let session = try? await Session.open(string) else { return false }
            await session.close()
            return true
        }
        return try await body(string)
    }

    /// The port number of pgbouncer. It listens only on a Unix socket, whose file name contains this number.
    private static let port = 6432

    private static func settings(_ mode: Mode, of cluster: ClusterDirectory, at path: String) -> String {
        """
        [databases]
        * = host=\(cluster.socketDirectory) port=\(ClusterDirectory.port)
        [pgbouncer]
        pool_mode = \(mode.rawValue)
        listen_addr =
        listen_port = \(port)
        unix_socket_dir = \(path)
        auth_type = trust
        auth_file = \(path)/users.txt
        """
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}
