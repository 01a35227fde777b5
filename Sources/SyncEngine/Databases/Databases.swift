package import PGStore
package import Postgres
import Synchronization
import WireFormats

/// The databases of an installation, and the map that says which of them serves which space. All engines of a server
/// share it.
///
/// The map may be outdated for a moment. This loses nothing, because each database itself refuses the spaces that it
/// does not serve (`SyncError.elsewhere`). The service then reads the map again.
package final class Databases: Sendable {
    /// The database that the server was started with. It has the tokens, members, versions and the map, and may serve
    /// spaces like every other database.
    package let directory: Pool
    private let open: @Sendable (BucketMap.Entry) async throws -> Pool
    private let reading = Reading()
    private let state: Mutex<State>

    private struct State {
        var map = BucketMap.directoryOnly
        /// The pools of the databases that were opened, the directory's first. A database keeps its index, because
        /// engines keep queues for it.
        var pools: [Pool]
        /// The indices in `pools` of the databases beside the directory, by name.
        var indices: [String: Int] = [:]
        /// The errors of the databases that could not be opened, by name.
        var failures: [String: any Error] = [:]
        /// The buckets that another database than the map's says it serves.
        var disputed: Set<Bucket> = []

        /// Returns the index in `pools` of a database of the map; `nil` if it is not opened.
        ///
        /// - Parameter database: an index in `map.databases`; `nil` for the directory.
        func pool(of database: Int?) -> Int? {
            guard let database else { return 0 }
            return indices[map.databases[database].name]
        }

        /// Returns the buckets that a database serves although the map names another, and those of such single spaces.
        func disputed(_ claims: [(index: Int, marks: BucketMarks.Row)]) -> Set<Bucket> {
            var found: Set<Bucket> = []
            for claim in claims {
                found.formUnion(claim.marks.served.filter { pool(of: map.index(of: $0)) != claim.index })
                for space in claim.marks.exceptions.union(map.placedSpaces)
                where claim.marks.serves(space) && pool(of: map.index(of: space)) != claim.index {
                    found.insert(Bucket(of: space))
                }
            }
            return found
        }
    }

    /// Creates an installation whose spaces the directory serves, until `refresh` has read the map.
    ///
    /// - Parameter open: opens a database of the map, after checking that this server may serve it.
    package init(directory: Pool, open: @escaping @Sendable (BucketMap.Entry) async throws -> Pool = Databases.none) {
        self.directory = directory
        self.open = open
        state = Mutex(State(pools: [directory]))
    }

    /// Opens no database, for an installation without a map.
    package static let none: @Sendable (BucketMap.Entry) async throws -> Pool = { entry in
        throw Unopened(name: entry.name)
    }

    /// An error: a database that this process does not open.
    private struct Unopened: Error, CustomStringConvertible {
        let name: String
        var description: String { "The database ‘\(name)’ of the map is not opened by this program." }
    }

    /// The pools of all databases that were opened, the directory's first.
    package var pools: [Pool] { state.withLock { $0.pools } }

    /// The databases that could not be opened when the map was read last, by name, with the reasons.
    package var failures: [String: any Error] { state.withLock { $0.failures } }

    /// The buckets that another database than the map's says it serves, by their numbers. After the directory was
    /// restored from a backup, its map may be outdated, and the spaces of these buckets are not served.
    package var disputed: [Bucket] { state.withLock { $0.disputed.sorted { $0.number < $1.number } } }

    /// Returns the database that serves a space, as an index in `pools`.
    ///
    /// - Throws: `SyncError.unreachable`, if this server could not open the database; `SyncError.elsewhere`, if the
    ///   space's bucket is disputed.
    func index(of space: ID) throws(SyncError) -> Int {
        let found: Result<Int, SyncError> = state.withLock { state in
            if state.map.databases.isEmpty { return .success(0) }
            let bucket = Bucket(of: space)
            if state.disputed.contains(bucket) { return .failure(.elsewhere) }
            return state.pool(of: state.map.index(of: space)).map { .success($0) } ?? .failure(.unreachable)
        }
        return try found.get()
    }

    /// Returns the pool at an index in `pools`.
    func pool(at index: Int) -> Pool { state.withLock { $0.pools[index] } }

    /// Reads the map again, and opens the databases that are new in it. A database that cannot be opened is tried again
    /// at the next call; until then its spaces are not served.
    ///
    /// Calls that arrive while the map is being read wait for one more reading, which they share.
    ///
    /// - Throws: `PGError`; then the map stays as it was.
    package func refresh() async throws {
        try await reading.run { [self] in
            let rows = try await directory.withSession { session in try await session.execute(BucketMap.reading) }
            let map = BucketMap(rows)
            let known = state.withLock { $0.indices }
            var failures: [String: any Error] = [:]
            for entry in map.databases where known[entry.name] == nil {
                do {
                    let pool = try await open(entry)
                    state.withLock { state in
                        state.indices[entry.name] = state.pools.count
                        state.pools.append(pool)
                    }
                } catch {
                    failures[entry.name] = error
                }
            }
            state.withLock { [failures] state in (state.map, state.failures) = (map, failures) }
            if !map.databases.isEmpty { try await checkClaims() }
        }
    }

    /// Compares the map with what the databases themselves say they serve.
    ///
    /// While a bucket moves, its new database serves it only after the map was changed. So a map that is read after the
    /// database has the change, unless the database was read before the move ended, or a database was restored. In the
    /// first case, the second attempt finds no difference.
    private func checkClaims() async throws {
        var disputed: Set<Bucket> = []
        for attempt in 1...2 {
            var claims: [(index: Int, marks: BucketMarks.Row)] = []
            for (index, pool) in pools.enumerated() {
                // A database that does not answer serves nothing.
                let row = try? await pool.withSession { session in
                    BucketMarks.Row(try await session.execute(BucketMarks.reading))
                }
                if let row { claims.append((index, row)) }
            }
            if attempt == 2 {
                let rows = try await directory.withSession { session in try await session.execute(BucketMap.reading) }
                state.withLock { $0.map = BucketMap(rows) }
            }
            disputed = state.withLock { [claims] in $0.disputed(claims) }
            if disputed.isEmpty { break }
        }
        state.withLock { [disputed] in $0.disputed = disputed }
    }

    /// Closes the pools of all databases but the directory's, which its owner closes.
    package func close() async {
        for pool in pools.dropFirst() { await pool.close() }
    }
}

/// Runs a job for callers that arrive at the same time only once. Each caller gets the result of a run that began after
/// its call.
private actor Reading {
    private var running: Task<Void, any Error>?
    private var next: Task<Void, any Error>?

    func run(_ job: @escaping @Sendable () async throws -> Void) async throws {
        if let next { return try await next.value }
        let before = running
        let task = Task {
            _ = await before?.result
            begin()
            try await job()
        }
        next = task
        try await task.value
    }

    /// Marks the waiting run as running, so that later callers wait for another one.
    private func begin() {
        (running, next) = (next, nil)
    }
}
