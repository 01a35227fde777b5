package import PGStore
package import Postgres
package import WireFormats

/// The databases of an installation, for an operator: the directory, and those of the map.
package struct DatabaseGroup: Sendable {
    /// The connection string of the directory. Those of the other databases are made from it and the map.
    package let directory: ConnectionString

    package init(directory: ConnectionString) {
        self.directory = directory
    }

    /// One database of the installation.
    package struct Member: Sendable {
        package let name: String
        /// The address in the map; `nil` for the directory.
        package let entry: BucketMap.Entry?
        /// The buckets that the database serves by the map.
        package let mapped: Set<Bucket>
        /// The spaces that the database serves without their bucket, each with the database of its bucket.
        package let alone: [(space: ID, home: String)]
        /// The state of the database itself; `nil` if it does not answer.
        package let state: State?

        /// The state of a database, as the database itself reports it.
        package struct State: Sendable {
            /// The database's name in the map, by its own tables; `nil` if it has none.
            package let name: String?
            /// The buckets that the database says it serves.
            package let served: Set<Bucket>
            /// The number and the size of the spaces of each bucket that has any.
            package let weights: [Bucket: BucketWeight]
            /// The size of the whole database on the disk, in bytes.
            package let bytes: Int64
        }
    }

    /// Reads the map, from the directory.
    ///
    /// - Throws: `PGError`.
    package func map() async throws -> BucketMap {
        try await with(directory) { session in BucketMap(try await session.execute(BucketMap.reading)) }
    }

    /// Lists the databases, the directory first.
    ///
    /// - Throws: `PGError`, if the directory does not answer.
    package func list() async throws -> [Member] {
        let map = try await map()
        var members: [Member] = []
        for name in map.names {
            members.append(
                Member(
                    name: name, entry: map.databases.first { $0.name == name },
                    mapped: Set(Bucket.all.filter { map.name(of: $0) == name }),
                    alone: map.placedSpaces.filter { map.name(of: $0) == name }
                        .map { ($0, map.name(of: Bucket(of: $0))) },
                    // A database that does not answer is listed, too.
                    state: try? await with(address(of: name, in: map), DatabaseGroup.state)))
        }
        return members
    }

    private static func state(_ session: Session) async throws -> Member.State {
        let marks = BucketMarks.Row(try await session.execute(BucketMarks.reading))
        let weights = BucketWeight.all(try await session.execute(BucketWeight.reading))
        let bytes = try await session.execute("SELECT pg_database_size(current_database())").int(0, 0)
        return Member.State(name: marks.name, served: marks.served, weights: weights, bytes: bytes)
    }

    /// Returns the names and the connection strings of all databases, the directory's first. A directory without the
    /// tables of the map is the only database.
    ///
    /// - Throws: `PGError`, if the directory does not answer.
    package func addresses() async throws -> [(name: String, string: ConnectionString)] {
        try await with(directory) { session in
            let isMapped = try await session.execute("SELECT to_regclass('sync.bucket') IS NOT NULL").bool(0, 0)
            guard isMapped else { return [(BucketMap.Entry.directoryName, directory)] }
            let map = BucketMap(try await session.execute(BucketMap.reading))
            return try map.names.map { ($0, try address(of: $0, in: map)) }
        }
    }

    /// Reads the move that has not ended; `nil` if there is none.
    package func unfinishedMove() async throws -> SpaceMove? {
        try await with(directory) { session in SpaceMove(try await session.execute(SpaceMove.readingUnfinished)) }
    }

    /// Returns the connection string of a database of the map.
    func address(of name: String, in map: BucketMap) throws(PlacementError) -> ConnectionString {
        if name == BucketMap.Entry.directoryName { return directory }
        guard let entry = map.databases.first(where: { $0.name == name }) else {
            throw .unknownDatabase(name, known: map.names)
        }
        return directory.with(host: entry.host, port: entry.port, database: entry.database)
    }

    /// Opens a session with the owner's login, passes it to `body`, and closes it.
    func with<Value>(_ string: ConnectionString, _ body: (Session) async throws -> Value) async throws -> Value {
        try await OwnerDatabase(string).withSession(body)
    }
}
