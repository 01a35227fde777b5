import PGMigrations
import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// Performs the steps of a move. Each step can be repeated, so a move that was interrupted continues with the recorded
/// step.
///
/// At most one database serves a space at any time. Only the sessions of this mover change that, and they hold the
/// lock that keeps other movers out.
struct SpaceMover: Sendable {
    /// One of the two databases.
    struct Database: Sendable {
        let name: String
        let session: Session
        let address: ConnectionString
    }

    let directory: Session
    let map: BucketMap
    /// The OID of the directory's database.
    let directoryOID: Int64
    let source: Database
    let target: Database
    let limits: MoveLimits
    let report: DatabaseGroup.MoveReport

    /// Checks before a move that both databases can replicate, have the same tables, and agree with the map.
    func check(_ spaces: SpaceSet) async throws {
        try await checkAbilities()
        _ = try await tables()
        let here = BucketMarks.Row(try await source.session.execute(BucketMarks.reading))
        let there = BucketMarks.Row(try await target.session.execute(BucketMarks.reading))
        if let bucket = here.firstNotServed(of: spaces) {
            let isThere = there.firstServed(of: spaces) != nil
            throw PlacementError.disputed(bucket, claimedBy: isThere ? [target.name] : [], map: source.name)
        }
        if let bucket = there.firstServed(of: spaces) {
            throw PlacementError.disputed(bucket, claimedBy: [source.name, target.name], map: source.name)
        }
    }

    /// Performs the steps of a move from the recorded one to the last.
    func run(_ move: SpaceMove) async throws {
        var step = move.step
        var pauseBegan: ContinuousClock.Instant?
        while true {
            switch step {
            case .copying:
                try await begin(.copying, move)
                try await copy(move)
                step = .switching
            case .switching:
                try await begin(.switching, move)
                guard try await isCopied(move) else {
                    // Another process, or a person, has removed the replication.
                    step = .copying
                    continue
                }
                pauseBegan = try await shut(move)
                step = .closing
            case .closing:
                try await begin(.closing, move)
                try await endReplication(of: move)
                step = .opening
            case .opening:
                try await begin(.opening, move, map.setting(move.spaces, to: move.target))
                try await target.session.execute(BucketMarks.setting(move.spaces, isServed: true))
                CrashPoint.pass()
                let now = ContinuousClock.now
                try await report(.opened(now - (pauseBegan ?? now)))
                step = .cleaning
            case .cleaning:
                try await begin(.cleaning, move)
                if PlantedBug.bucketTwice.isPlanted {
                    try await source.session.execute(BucketMarks.setting(move.spaces, isServed: false))
                }
                try await delete(move.spaces, in: source)
                step = .done
            case .done, .undone:
                try await deleteMarks()
                try await directory.execute(move.advancing(to: step))
                return
            }
        }
    }

    /// Gives a move up.
    ///
    /// - Throws: `PlacementError.tooLate` if the target may serve the spaces.
    func undo(_ move: SpaceMove) async throws {
        guard move.mayBeUndone else { throw PlacementError.tooLate(move) }
        try await endReplication(of: move)
        try await source.session.execute(BucketMarks.setting(move.spaces, isServed: true))
        CrashPoint.pass()
        try await delete(move.spaces, in: target)
        try await deleteMarks()
        try await directory.execute(move.advancing(to: .undone))
    }

    /// Records a step before it is done, with changes of the map.
    private func begin(_ step: SpaceMove.Step, _ move: SpaceMove, _ changes: [Command] = []) async throws {
        try await directory.pipeline(changes + [move.advancing(to: step)])
        CrashPoint.pass()
        try await report(.began(step))
    }

    /// Returns the tables that move, after checking that both databases have the same.
    func tables() async throws -> [MovedTable] {
        let here = MovedTable.all(try await source.session.execute(MovedTable.listing))
        let there = MovedTable.all(try await target.session.execute(MovedTable.listing))
        if let other = Set(here).symmetricDifference(there).map(\.name).min() {
            throw PlacementError.otherTables(other)
        }
        if let table = here.first(where: { !$0.isKeyedBySpace }) {
            throw PlacementError.cannotReplicate(
                database: source.name, reason: "the primary key of \(table.name) does not contain space_id.")
        }
        return here
    }

    /// Deletes the rows of spaces in a database that does not serve it.
    func delete(_ spaces: SpaceSet, in database: Database) async throws {
        let marks = BucketMarks.Row(try await database.session.execute(BucketMarks.reading))
        if let bucket = marks.firstServed(of: spaces) {
            throw PlacementError.disputed(bucket, claimedBy: [source.name, target.name], map: target.name)
        }
        var ids: Set<ID> = []
        for database in [source, target] {
            ids.formUnion(try await database.session.execute(MovedTable.listing(spaces)).ids)
        }
        var count: Int64 = 0
        for table in MovedTable.all(try await database.session.execute(MovedTable.listing)) {
            while true {
                let rows = try await database.session.execute(
                    table.deleting(spaces, Array(ids), limit: limits.deletedMax))
                if rows.affectedCount > 0 { CrashPoint.pass() }
                count += Int64(rows.affectedCount)
                try await report(.deleted(rows: count))
                if rows.affectedCount < limits.deletedMax { break }
            }
        }
        try await database.session.execute(MovedTable.unlisting(spaces))
    }

    private func deleteMarks() async throws {
        for database in [source, target] { try await database.session.execute(SpaceReplication.removingMarks) }
    }
}
