package import PGMigrations
package import Postgres

/// A database that belongs to one test.
package struct TestDatabase: Sendable {
    /// The connection string of `syncserver_owner`, who owns the database and may create roles.
    package let connectionString: ConnectionString
    /// The connection string of `syncserver_server`, a login that has only the rights to serve requests.
    package var servingConnectionString: ConnectionString {
        connectionString.with(user: EmbeddedCluster.servingLogin)
    }
    /// The connection string of a superuser of this database's server.
    package let superuserConnectionString: ConnectionString
    package let name: String

    /// Opens a new session as the database's owner. If the caller does not close it, it ends when the database is
    /// dropped.
    package func session(settings: SessionSettings = .serving) async throws -> Session {
        try await Session.open(connectionString, settings: settings)
    }
}

/// Makes a database, passes it to `body`, and drops it afterwards, ending all sessions that are still in it.
///
/// - Parameters:
///   - lines: the migrations to apply first. Databases with the same migrations are copied from one template, so that
///     only the first is slow.
///   - isSecond: true for a test that has a database already. It does not wait for other tests then, because they may
///     wait for it.
package func withTestDatabase<Value>(
    migrated lines: [MigrationLine] = [], isSecond: Bool = false, _ body: (TestDatabase) async throws -> Value
) async throws -> Value {
    if isSecond { return try await withNewDatabase(lines, body) }
    await TestCluster.current.enter()
    do {
        let value = try await withNewDatabase(lines, body)
        await TestCluster.current.leave()
        return value
    } catch {
        await TestCluster.current.leave()
        throw error
    }
}

private func withNewDatabase<Value>(
    _ lines: [MigrationLine], _ body: (TestDatabase) async throws -> Value
) async throws -> Value {
    let cluster = try await TestCluster.current.cluster()
    let name = try await TestCluster.current.makeDatabase(migrated: lines)
    let database = TestDatabase(
        connectionString: cluster.connectionString.with(database: name),
        superuserConnectionString: cluster.superuserConnectionString.with(database: name), name: name)
    do {
        let value = try await body(database)
        try await TestCluster.current.drop(name)
        return value
    } catch {
        // The test's own error is the important one; the cluster ends with the process anyway.
        try? await TestCluster.current.drop(name)
        throw error
    }
}
