package import PGMigrations
package import Postgres
import SyncEngine
package import SyncServer
import SyncSimulator
import SyncTesting
package import WireFormats

extension TestServer {
    /// Opens an event stream, as a device does, and returns it after reading the headers of the response.
    package func listen(space: ID? = nil, token: String? = nil, version: String? = nil) async throws -> EventReader {
        let authorization = [
            HeaderName.authorization: token.map { "Bearer \($0)" }, HeaderName.schemaVersion: version,
        ].compactMapValues { $0 }
        let reader = try EventReader(
            port: port, path("events", space: space?.description), headers: headers(changing: authorization))
        let head = try await reader.head()
        guard head.status == 200 else { throw Refused(reply: "\(head)") }
        return reader
    }

    /// Pushes one more meal, and returns the space's new head (the number of its latest change).
    @discardableResult
    package func move(
        _ space: ID? = nil, token: String? = nil, through service: RunningServer? = nil
    ) async throws -> Int64 {
        let client = TestClient(port: service?.port ?? port)
        let changes = JSONValue.object([
            "changes": .array([.create("SDMeal", .random(), ["mealType": "lunch"], at: nil)])
        ])
        let authorization = [HeaderName.authorization: token.map { "Bearer \($0)" }].compactMapValues { $0 }
        let reply = try await client.request(
            "POST", path(space: space?.description), headers: headers(changing: authorization), body: changes.bytes)
        guard reply.status == 200, let head = reply[HeaderName.syncHead].flatMap({ Int64($0) }) else {
            throw Refused(reply: "\(reply)")
        }
        return head
    }

    /// Passes another server over the same database to `body`.
    ///
    /// - Parameters:
    ///   - migrations: the app's own line, if the repository has none for it.
    ///   - standby: the standby from which it reads large pages.
    ///   - now: the server's clock; the database's clock if `nil`.
    @discardableResult
    package func withSecondServer<Value>(
        migrations: MigrationLine? = nil, standby: ConnectionString? = nil, now: (@Sendable () -> Timestamp)? = nil,
        policy: RequestPolicy = RequestPolicy(), log: Log = Log(isSilent: true),
        _ body: (RunningServer) async throws -> Value
    ) async throws -> Value {
        let second = try await RunningServer.start(
            .init(standby: standby, pool: .patient(sessionsMax: 4), policy: policy), plans: [plan],
            lines: Repository.migrations() + [migrations].compactMap { $0 },
            database: database.servingConnectionString, clock: now.map { HybridClock(now: $0) }, log: log)
        do {
            let value = try await body(second)
            await second.stop()
            return value
        } catch {
            await second.stop()
            throw error
        }
    }

    /// Runs a statement as superuser.
    package func administer(_ sql: StaticString) async throws {
        let session = try await Session.open(database.superuserConnectionString)
        try await session.execute(Command(Statement(sql)))
        await session.close()
    }
}

/// An error: the response to a request that opens a stream or changes a space has an unexpected status.
private struct Refused: Error {
    let reply: String
}
