import DemoApps
package import HTTPServer
package import PGMigrations
package import Postgres
package import SyncEngine
package import SyncServer
package import SyncTesting
package import WireFormats

/// A server in this process, on a free port of the loopback interface, for one test. It has a migrated database of its
/// own, with a space and a token for it. As in production, its database login has only the rights that serving needs.
package struct TestServer: Sendable {
    package let service: RunningServer
    package let database: TestDatabase
    package let plan: Plan
    package let space: ID
    package let token: String

    package var port: Int { service.port }

    /// Stores a new token in the database, and returns its secret.
    package func makeToken(
        app: String? = FitIQPlan.app, role: Grant.Role = .write, spaces: [ID], subject: String = "test"
    ) async throws -> String {
        let grant = Grant(app: app, subject: Subject(subject), role: role, spaces: spaces)
        return try await SyncTestSupport.makeToken(database, grant)
    }

    /// Returns this test server with another server over the same database, to which requests are then sent.
    package func through(_ service: RunningServer) -> TestServer {
        TestServer(service: service, database: database, plan: plan, space: space, token: token)
    }

    package func client() -> TestClient {
        TestClient(port: port)
    }

    /// Returns a path in a space, such as `/v1/apps/fitiq/spaces/…/changes`.
    package func path(_ action: String = SpaceAction.changes, app: String? = nil, space: String? = nil) -> String {
        Endpoint.space.path(app: app ?? plan.app, space: space ?? self.space.description) + "/\(action)"
    }

    /// Returns a new device, without any records.
    ///
    /// - Parameters:
    ///   - space: the space that it syncs; `nil` for the test server's space.
    ///   - mode: the value of the header `Change-Mode`; `nil` for none.
    package func device(
        _ version: String = "0.1.1", id: ID? = .random(), space: ID? = nil, token: String? = nil, mode: String? = nil
    ) -> TestDevice {
        TestDevice(
            client: client(), path: path(space: space?.description), token: token ?? self.token, plan: plan,
            version: version, id: id, mode: mode)
    }

    /// Returns the records that a new device of this version has after it has pulled everything.
    package func view(_ version: String, space: ID? = nil) async throws -> TestDevice.Store {
        let device = device(version, space: space)
        try await device.pullAll()
        return await device.store
    }

    /// Returns a summary of all stored data. A test compares it before and after a request that must store nothing.
    ///
    /// For each table, it contains the number of rows and the sum of the rows' sequence numbers. For each space, it
    /// contains the head (the number of its latest change). It also contains the number of replaced stamps, and that of
    /// counter increments.
    package func contents() async throws -> [String] {
        var parts = plan.hub.entities.map { entity in
            "SELECT '\(entity.table)', count(*), coalesce(sum(seq), 0)::bigint FROM \(plan.hub.schema).\(entity.table)"
        }
        parts.append("SELECT 'head of ' || space_id, head, 0 FROM sync.space WHERE head > 0")
        parts.append("SELECT 'clamps', count(*), 0 FROM sync.clamp")
        parts.append("SELECT 'increments', count(*), 0 FROM sync.increment")
        let session = try await Session.open(database.superuserConnectionString)
        let rows = try await session.execute(
            Command(Statement(unchecked: "\(parts.joined(separator: " UNION ALL ")) ORDER BY 1")))
        await session.close()
        return (0..<rows.count).map { "\(rows.string($0, 0)) \(rows.int($0, 1)) \(rows.int($0, 2))" }
    }
}

/// Starts a server with a database of its own, passes it to `body`, and stops it afterwards.
///
/// - Parameters:
///   - app: the plan that the server serves, for which paths and devices are made; FitIQ by default.
///   - migrations: the app's own migrations, if the repository has none for it.
///   - now: the time in the server's clock; by default the database's time, as in production.
///   - host: the clocks of the machine on which the server believes that it runs.
///   - limits: the limits of the HTTP server.
///   - policy: the request policy; by default without rate limits, because tests send as fast as they can.
///   - massDeletions: the limit for deletions by one device; by default none.
///   - log: the server's log; silent by default.
package func withTestServer<Value>(
    _ app: (any SchemaMigrationPlan.Type)? = nil, migrations: MigrationLine? = nil,
    now: (@Sendable () -> Timestamp)? = nil, host: HostClock = HostClock(),
    limits: HTTPServer.Limits = HTTPServer.Limits(), policy: RequestPolicy = RequestPolicy(),
    massDeletions: MassDeletions.Limits = anyDeletions, log: Log = Log(isSilent: true),
    _ body: (TestServer) async throws -> Value
) async throws -> Value {
    let lines = try Repository.migrations() + [migrations].compactMap { $0 }
    return try await withTestDatabase(migrated: lines) { database in
        let plan = try app.map { try Plan($0) } ?? fitIQ.get()
        var configuration = HTTPServer.Configuration()
        configuration.limits = limits
        let service = try await RunningServer.start(
            .init(
                http: configuration, pool: .patient(sessionsMax: 8), massDeletions: massDeletions, policy: policy),
            plans: [plan], lines: lines,
            database: database.servingConnectionString, clock: now.map { HybridClock(now: $0) }, host: host, log: log)
        do {
            let space = ID.random()
            let token = try await makeToken(database, Grant(app: nil, subject: "test", role: .write, spaces: [space]))
            let server = TestServer(service: service, database: database, plan: plan, space: space, token: token)
            let value = try await body(server)
            await service.stop()
            return value
        } catch {
            await service.stop()
            throw error
        }
    }
}

/// Limits that allow any number of deletions. Tests delete faster than people do, so only the tests about mass
/// deletions have other limits.
package let anyDeletions = MassDeletions.Limits(shareMaxPercent: 100)
/// The limits for mass deletions that `syncserver serve` has by default.
package let standardDeletions = MassDeletions.Limits()

/// FitIQ's plan, which is compiled once for all tests.
private let fitIQ = Result { try Plan(FitIQPlan.self) }

/// Stores a new token in the database, and returns its secret.
private func makeToken(_ database: TestDatabase, _ grant: Grant) async throws -> String {
    let secret = Secret()
    let session = try await database.session()
    try await add(secret, grant, session)
    await session.close()
    return secret.text
}

private func add(_ secret: Secret, _ grant: Grant, _ session: isolated Session) throws {
    try TokenStore.add(secret, grant, session)
}
