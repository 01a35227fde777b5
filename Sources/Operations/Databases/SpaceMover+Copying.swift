import PGMigrations
import PGStore
import Postgres
import WireFormats

/// Copying the rows of spaces by PostgreSQL's logical replication, while the source serves them.
extension SpaceMover {
    /// Checks the rights and the settings for logical replication.
    func checkAbilities() async throws {
        let here = try await source.session.execute(SpaceReplication.readingAbilities)
        if here.string(0, 4) != "logical" {
            throw PlacementError.cannotReplicate(
                database: source.name,
                reason: "its wal_level is \(here.string(0, 4)). Say ALTER SYSTEM SET wal_level = logical, and start "
                    + "PostgreSQL again.")
        }
        if !here.bool(0, 2) {
            throw PlacementError.cannotReplicate(
                database: source.name,
                reason: "the login may not. Use a superuser, or say: ALTER ROLE the-login REPLICATION.")
        }
        let there = try await target.session.execute(SpaceReplication.readingAbilities)
        if !there.bool(0, 1) {
            throw PlacementError.cannotReplicate(
                database: target.name,
                reason: "the login may not subscribe. Use a superuser; since PostgreSQL 16 also a login with BYPASSRLS "
                    + "in the role pg_create_subscription.")
        }
        if there.int(0, 5) < 2 {
            throw PlacementError.cannotReplicate(
                database: target.name, reason: "its max_logical_replication_workers is less than 2. Set it to 4.")
        }
    }

    func replication(of move: SpaceMove) -> SpaceReplication {
        SpaceReplication(of: move, directory: directoryOID)
    }

    /// Begins to replicate the spaces unless that has begun, and waits until all rows are copied and the target
    /// applies the changes.
    func copy(_ move: SpaceMove) async throws {
        if try await !isReplicating(move) {
            try await endReplication(of: move)
            try await delete(move.spaces, in: target)
            try await beginReplication(of: move)
        }
        while true {
            let progress = try await progress(of: move)
            try await report(.copied(tables: progress.ready, of: progress.tables))
            if progress.tables > 0, progress.ready == progress.tables { return }
            try await Task.sleep(for: limits.interval)
        }
    }

    /// Returns true if the target has copied all tables and applies their changes.
    func isCopied(_ move: SpaceMove) async throws -> Bool {
        guard try await isReplicating(move) else { return false }
        let progress = try await progress(of: move)
        return progress.tables > 0 && progress.ready == progress.tables
    }

    /// Ends the replication, and removes everything that belongs to it. It need not have begun.
    func endReplication(of move: SpaceMove) async throws {
        let replication = replication(of: move)
        // A script, because it cannot run in a transaction.
        try await target.session.runScript(replication.unsubscribing)
        CrashPoint.pass()
        try await source.session.execute(replication.unpublishing)
        CrashPoint.pass()
        // The process that read from the slot needs a moment to end.
        for _ in 0..<SpaceMover.releasesMax
        where try await source.session.execute(replication.findingSlot).int(0, 0) > 0 {
            try await source.session.execute(replication.releasing)
            try await Task.sleep(for: limits.pauseInterval)
        }
    }

    /// The largest number of attempts to drop a slot. With the pauses between them they take ten seconds.
    private static let releasesMax = 2_000

    private func isReplicating(_ move: SpaceMove) async throws -> Bool {
        let replication = replication(of: move)
        let isPublished = try await source.session.execute(replication.findingPublication).bool(0, 0)
        let slots = try await source.session.execute(replication.findingSlot).int(0, 0)
        let isSubscribed = try await target.session.execute(replication.watching).bool(0, 0)
        return isPublished && slots == 1 && isSubscribed
    }

    private func beginReplication(of move: SpaceMove) async throws {
        let replication = replication(of: move)
        let tables = try await tables()
        try await source.session.execute(replication.publishing(tables))
        CrashPoint.pass()
        do throws(PGError) {
            try await source.session.execute(replication.reserving)
        } catch .lockTimeout {
            throw PlacementError.openTransaction(database: source.name)
        }
        CrashPoint.pass()
        let abilities = try await target.session.execute(SpaceReplication.readingAbilities)
        let commands = replication.subscribing(
            to: source.address, runsAsOwner: abilities.int(0, 3) >= 160_000, isSuperuser: abilities.bool(0, 0))
        try await target.session.transaction { session in
            for command in commands { try session.execute(command) }
        }
    }

    /// Reads the number of tables that are replicated, and of those that are copied and in step.
    ///
    /// - Throws: `PlacementError.replicationFailed` if PostgreSQL has failed several times.
    func progress(of move: SpaceMove) async throws -> (tables: Int64, ready: Int64) {
        let rows = try await target.session.execute(replication(of: move).watching)
        if rows.int(0, 3) >= limits.failuresMax { throw PlacementError.replicationFailed(database: target.name) }
        return (rows.int(0, 1), rows.int(0, 2))
    }
}
