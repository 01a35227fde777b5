package import PGMigrations
package import Postgres
import SyncEngine
package import SyncServer
import SyncSimulator
import SyncTesting
package import WireFormats

extension TestServer {
    /// Opens an event stream as a device does, reads the headers of the response, and returns the stream.
    ///
    /// - Parameters:
    ///   - space: the space to listen to; `nil` for the test server's space.
    ///   - token: the token of the request; `nil` for the test server's token.
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

    /// Pushes a new meal into a space, and returns the head (the number of the space's latest change).
    ///
    /// - Parameter service: the server to which the push is sent; `nil` for this test server.
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

    /// Starts another server over the same database, and passes it to `body`. The server is stopped afterwards.
    ///
    /// - Parameters:
    ///   - migrations: the app's own migrations, if the repository has none for it.
    ///   - standby: the replica from which the server reads large pages; `nil` for none.
    ///   - now: the time in the server's clock; `nil` for the database's time.
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

    /// Runs an SQL statement as superuser, in a session of its own.
    package func administer(_ sql: StaticString) async throws {
        let session = try await Session.open(database.superuserConnectionString)
        try await session.execute(Command(Statement(sql)))
        await session.close()
    }
}

/// An error: the server answered a request to open a stream or to change a space with an unexpected status.
private struct Refused: Error {
    let reply: String
}
