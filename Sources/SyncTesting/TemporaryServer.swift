package import Foundation
import Glibc
import HTTPServer
import Operations
package import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncServer
package import WireFormats

/// A temporary server for one command, with one space and a token that may write to it. It has a PostgreSQL cluster of
/// its own. All of this is removed afterwards.
package struct TemporaryServer {
    package let url: URL
    package let token: String

    /// Starts a server, passes it to `body`, and removes everything afterwards.
    ///
    /// - Parameter isDivided: true for a server with two databases, of which the second serves all spaces.
    package static func with<Result>(
        _ plan: Plan, lines: [MigrationLine], isDivided: Bool = false, _ body: (TemporaryServer) async throws -> Result
    ) async throws -> Result {
        // Tests run side by side in one process. A whole UUID would make a socket's path too long (unix(7)).
        let name = "syncserver-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let folder = FileManager.default.temporaryDirectory.appending(path: name).path
        let cluster = try await EmbeddedCluster.start(directory: folder, durability: .throwaway)
        defer { cluster.demolish() }
        let database = cluster.connectionString
        try await Migrator(database, lines: lines).up(contracts: .run)
        if isDivided { try await divide(cluster, lines) }
        let secret = Secret()
        let session = try await Session.open(database)
        let grant = Grant(app: plan.app, subject: "compat", role: .write, spaces: [.random()])
        try await TokenStore.add(secret, grant, session)
        await session.close()
        var configuration = HTTPServer.Configuration()
        configuration.port = 0
        let server = try await RunningServer.start(
            .init(http: configuration), plans: [plan], lines: lines, database: cluster.servingConnectionString,
            log: Log())
        do {
            guard let url = URL(string: "http://127.0.0.1:\(server.port)") else {
                preconditionFailure("an address with a port is a URL")
            }
            let result = try await body(TemporaryServer(url: url, token: secret.text))
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Adds a second database, which serves all buckets. There is nothing to move yet.
    private static func divide(_ cluster: EmbeddedCluster, _ lines: [MigrationLine]) async throws {
        let name = "second"
        let maintenance = try await Session.open(cluster.superuserConnectionString)
        try await maintenance.runScript("CREATE DATABASE \(name) OWNER \(EmbeddedCluster.ownerRole)")
        await maintenance.close()
        let second = cluster.connectionString.with(database: name)
        try await Migrator(second, lines: lines).up(contracts: .run)
        let directory = cluster.superuserConnectionString.with(database: EmbeddedCluster.databaseName)
        let group = DatabaseGroup(directory: directory)
        try await group.add(.init(name: name, host: nil, port: nil, database: name))
        let map = try await group.map()
        for (string, commands) in [
            (directory, [BucketMarks.setting([])] + map.setting(.buckets(Bucket.all), to: name)),
            (second, [BucketMarks.setting(Bucket.all)]),
        ] {
            let session = try await Session.open(string)
            try await session.pipeline(commands)
            await session.close()
        }
    }
}
