package import Foundation
import Glibc
import HTTPServer
package import PGMigrations
import Postgres
import SyncEngine
import SyncServer
package import WireFormats

/// A temporary server for one command, with one space and a token that may write to it. It has a PostgreSQL cluster of
/// its own. All of this is removed afterwards.
package struct TemporaryServer {
    package let url: URL
    package let token: String

    package static func with<Result>(
        _ plan: Plan, lines: [MigrationLine], _ body: (TemporaryServer) async throws -> Result
    ) async throws -> Result {
        // Tests run side by side in one process. A whole UUID would make a socket's path too long (unix(7)).
        let name = "syncserver-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let folder = FileManager.default.temporaryDirectory.appending(path: name).path
        let cluster = try await EmbeddedCluster.start(directory: folder, durability: .throwaway)
        defer { cluster.demolish() }
        let database = cluster.connectionString
        try await Migrator(database, lines: lines).up(contracts: .run)
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
}
