import PGStore
import Postgres
import WireFormats

/// Tells the database of a space what the directory has changed about the space: that a member lost rights, or that the
/// space is closed. Does nothing for a space that the directory itself serves, because there one transaction changes
/// both.
///
/// A change in the directory is committed first. If its space's database cannot be told then, the request fails,
/// although the change stays; a later call of `tellUntold` tells the database.
struct SpaceNotices: Sendable {
    private let app: String
    private let databases: Databases
    private let spaces: Spaces
    private let revocations: Revocations

    /// The most spaces that one call of `tellUntold` goes through.
    private static let untoldMax = 1_000

    init(app: String, databases: Databases) {
        (self.app, self.databases) = (app, databases)
        spaces = Spaces(app: app)
        revocations = Revocations(app: app)
    }

    /// Creates a new space in its database. A transaction in the directory has created the members, and the space too,
    /// if the directory serves it.
    ///
    /// - Throws: as `tellRevocations`.
    func begin(_ space: ID) async throws {
        if try databases.index(of: space) == 0 { return }
        try await inDatabase(of: space) { [spaces] session in _ = try session.execute(spaces.creating(space)) }
    }

    /// Tells the space's database the count of revocations that the directory has.
    ///
    /// - Throws: `SyncError.elsewhere`, if no database serves the space now; `SyncError.unreachable`, `PGError`.
    func tellRevocations(in space: ID) async throws {
        let directory = SpaceTransactions(pool: databases.directory)
        let rows = try await directory.run(in: space) { [revocations] session in
            try session.execute(revocations.reading(space))
        }
        guard rows.count > 0 else { return }
        let count = rows.int(0, 0)
        try await inDatabase(of: space) { [revocations] session in
            _ = try session.execute(revocations.taking(count, in: space))
        }
        try await directory.run(in: space) { [revocations] session in
            _ = try session.execute(revocations.told(count, in: space))
        }
    }

    /// Tells the databases of other spaces what they were not told when it happened.
    ///
    /// - Throws: the first error, after all other spaces.
    func tellUntold() async throws {
        let command = revocations.listingUntold(SpaceNotices.untoldMax)
        let untold = try await SpaceTransactions(pool: databases.directory).ask(command).ids
        var failure: (any Error)?
        for space in untold {
            do { try await tellRevocations(in: space) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Runs a transaction in the database that serves a space. The space does not move before the transaction ends. If
    /// that database says that it does not serve the space, the map of buckets is read again.
    ///
    /// - Throws: `SyncError.elsewhere`, `SyncError.unreachable`, `PGError`; errors of `body`.
    func inDatabase<Value: Sendable>(
        of space: ID, _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        for attempt in 1... {
            let index = try databases.index(of: space)
            do {
                return try await SpaceTransactions(pool: databases.pool(at: index)).run(in: space) { [spaces] session in
                    try session.execute(Spaces.keepingHere)
                    guard SpaceState(try session.execute(spaces.readingHead(space))).isHere else {
                        throw SyncError.elsewhere
                    }
                    return try body(session)
                }
            } catch SyncError.elsewhere where attempt == 1 {
                try await databases.refresh()
            }
        }
        throw SyncError.elsewhere
    }
}
