package import Operations
package import PGStore
import Postgres
import SyncEngine
import SyncServer
package import SyncTesting
import WireFormats

extension TestServer {
    /// Passes a second database to `body`, which serves the spaces of every other bucket from then on.
    ///
    /// - Parameter isMigrated: false for a database without any tables.
    package func withSecondDatabase<Value>(
        isMigrated: Bool = true, _ body: (TestDatabase) async throws -> Value
    ) async throws -> Value {
        try await withTestDatabase(migrated: isMigrated ? Repository.migrations() : [], isSecond: true) { second in
            if isMigrated { try await serve(TestServer.isOfSecond, in: second) }
            try await serve({ !TestServer.isOfSecond($0) }, in: database)
            let session = try await database.session()
            _ = try await session.execute(
                Command(
                    "INSERT INTO sync.database (name, dbname) VALUES ('second', $1)", [.text(second.name)]))
            await session.close()
            try await map(TestServer.isOfSecond)
            try await service.databases.refresh()
            return try await body(second)
        }
    }

    /// Writes the map by which the second database serves these buckets, and the directory all others.
    package func map(_ isOfSecond: (Bucket) -> Bool) async throws {
        let session = try await database.session()
        _ = try await session.execute("DELETE FROM sync.bucket")
        _ = try await session.execute(
            Command(
                "INSERT INTO sync.bucket (number, database) SELECT unnest($1::bigint[]), 'second'",
                [.ints(Bucket.all.filter(isOfSecond).map { Int64($0.number) })]))
        await session.close()
    }

    /// Says which buckets a database serves. All databases of an installation have the epoch of the directory.
    package func serve(_ isServed: (Bucket) -> Bool, in other: TestDatabase) async throws {
        let own = try await database.session()
        let epoch = try await own.execute("SELECT epoch FROM sync.server").id(0, 0)
        await own.close()
        let bits = Bucket.all.map { isServed($0) ? "1" : "0" }.joined()
        let session = try await other.session()
        _ = try await session.execute(
            Command("UPDATE sync.server SET buckets = $1::text::bit(256), epoch = $2", [.text(bits), .id(epoch)]))
        await session.close()
    }

    /// Returns true for the buckets that the second database of `withSecondDatabase` serves.
    package static func isOfSecond(_ bucket: Bucket) -> Bool { !bucket.number.isMultiple(of: 2) }
}

extension TestDatabase {
    /// Ends all sessions in the database, and lets nobody open another until `body` has ended.
    package func unreachable<Value>(_ body: () async throws -> Value) async throws -> Value {
        let administrator = try await Session.open(superuserConnectionString.with(database: "postgres"))
        func allow(_ isAllowed: Bool) async throws {
            _ = try await administrator.execute(
                Command(
                    Statement(unchecked: "ALTER DATABASE \"\(name)\" WITH ALLOW_CONNECTIONS \(isAllowed)")))
            if isAllowed { return }
            _ = try await administrator.execute(
                Command("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [.text(name)]))
        }
        try await allow(false)
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try await allow(true)
        await administrator.close()
        return try result.get()
    }
}

extension TestServer {
    /// The databases of the server, as an operator administers them.
    package var group: DatabaseGroup { DatabaseGroup(directory: database.superuserConnectionString) }

    /// Passes a second database to `body`, which an operator has added and which serves nothing yet. Spaces can move
    /// there if the test runs in `TestCluster.replicating`.
    package func withAddedDatabase<Value>(
        named name: String = "second", _ body: (TestDatabase) async throws -> Value
    ) async throws -> Value {
        try await withTestDatabase(migrated: Repository.migrations(), isSecond: true) { second in
            try await group.add(.init(name: name, host: nil, port: nil, database: second.name))
            try await service.databases.refresh()
            return try await body(second)
        }
    }
}
