import PGMigrations
package import PGStore
import Postgres
import WireFormats

/// Moving spaces from one database to another.
extension DatabaseGroup {
    /// The function that receives the progress of a move. If it throws, the move stops as if the process had ended.
    package typealias MoveReport = @Sendable (MoveEvent) async throws -> Void

    /// Moves spaces to another database, while clients sync.
    ///
    /// - Throws: `PlacementError`; `PGError`. If a move has begun, it is recorded, and `resumeMove` continues it.
    package func move(
        _ spaces: SpaceSet, to target: String, limits: MoveLimits = MoveLimits(),
        report: @escaping MoveReport = { _ in }
    ) async throws {
        try await withDirectory { directory in
            if let move = SpaceMove(try await directory.execute(SpaceMove.readingUnfinished)) {
                throw PlacementError.unfinished(move)
            }
            let map = BucketMap(try await directory.execute(BucketMap.reading))
            _ = try address(of: target, in: map)
            let (spaces, source) = try DatabaseGroup.source(of: spaces, map)
            if source == target { throw PlacementError.inPlace(spaces, database: target) }
            try await withMover(from: source, to: target, map, directory, limits, report) { mover in
                try await mover.check(spaces)
                try await directory.execute(
                    OperatorEvents.noting(
                        "database move", app: nil, detail: "\(spaces.text) from \(source) to \(target)"))
                let rows = try await directory.execute(SpaceMove.beginning(spaces, from: source, to: target))
                guard let move = SpaceMove(rows) else { throw PlacementError.noUnfinishedMove }
                try await mover.run(move)
            }
        }
    }

    /// Returns the spaces, with their buckets in order, and the database that serves them.
    private static func source(
        of spaces: SpaceSet, _ map: BucketMap
    ) throws(PlacementError) -> (spaces: SpaceSet, source: String) {
        switch spaces {
        case .space(let space):
            guard map.placedSpaces.count < SpaceSet.placedMax || map.placedSpaces.contains(space) else {
                throw .tooManyPlaced
            }
            return (spaces, map.name(of: space))
        case .buckets(let stated):
            let buckets = Set(stated).sorted { $0.number < $1.number }
            if let space = map.placedSpaces.first(where: { buckets.contains(Bucket(of: $0)) }) {
                throw .placedAlone(space, map.name(of: space), home: map.name(of: Bucket(of: space)))
            }
            let sources = Set(buckets.map { map.name(of: $0) })
            guard let source = sources.first, sources.count == 1 else {
                throw .severalSources(buckets, sources.sorted())
            }
            return (.buckets(buckets), source)
        }
    }

    /// Continues the move that has not ended.
    ///
    /// - Throws: `PlacementError`; `PGError`.
    package func resumeMove(limits: MoveLimits = MoveLimits(), report: @escaping MoveReport = { _ in }) async throws {
        try await withUnfinished(limits, report) { mover, move in try await mover.run(move) }
    }

    /// Gives up the move that has not ended: the source serves the spaces, and the copy in the target is deleted.
    ///
    /// - Throws: `PlacementError.tooLate` once the target may serve the spaces; `PlacementError`; `PGError`.
    package func undoMove(limits: MoveLimits = MoveLimits(), report: @escaping MoveReport = { _ in }) async throws {
        try await withUnfinished(limits, report) { mover, move in try await mover.undo(move) }
    }

    private func withUnfinished(
        _ limits: MoveLimits, _ report: @escaping MoveReport, _ body: (SpaceMover, SpaceMove) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            guard let move = SpaceMove(try await directory.execute(SpaceMove.readingUnfinished)) else {
                throw PlacementError.noUnfinishedMove
            }
            let map = BucketMap(try await directory.execute(BucketMap.reading))
            try await withMover(from: move.source, to: move.target, map, directory, limits, report) { mover in
                try await body(mover, move)
            }
        }
    }

    /// Opens a session in the directory, in which no migration and no other move runs meanwhile.
    func withDirectory<Value>(_ body: (Session) async throws -> Value) async throws -> Value {
        try await with(directory) { session in
            try await DatabaseGroup.prepare(session, of: BucketMap.Entry.directoryName)
            return try await body(session)
        }
    }

    private func withMover(
        from source: String, to target: String, _ map: BucketMap, _ directory: Session, _ limits: MoveLimits,
        _ report: @escaping MoveReport, _ body: (SpaceMover) async throws -> Void
    ) async throws {
        let oid = try await directory.execute(SpaceReplication.readingOID).int(0, 0)
        try await withPrepared(source, map, directory) { sourceSession in
            try await withPrepared(target, map, directory) { targetSession in
                try await body(
                    SpaceMover(
                        directory: directory, map: map, directoryOID: oid,
                        source: .init(name: source, session: sourceSession, address: address(of: source, in: map)),
                        target: .init(name: target, session: targetSession, address: address(of: target, in: map)),
                        limits: limits, report: report))
            }
        }
    }

    private func withPrepared<Value>(
        _ name: String, _ map: BucketMap, _ directory: Session, _ body: (Session) async throws -> Value
    ) async throws -> Value {
        if name == BucketMap.Entry.directoryName { return try await body(directory) }
        return try await with(address(of: name, in: map)) { session in
            try await DatabaseGroup.prepare(session, of: name)
            return try await body(session)
        }
    }

    /// Takes the lock that keeps migrations and other moves out, for as long as the session lasts. A process that has
    /// lost its session can then change nothing more. Each commit of the session survives a crash of PostgreSQL.
    private static func prepare(_ session: Session, of name: String) async throws {
        guard try await RunnerLock.take(session) else { throw PlacementError.busy(database: name) }
        let found = BucketMarks.Row(try await session.execute(BucketMarks.reading)).name
        guard found == name || found == nil && name == BucketMap.Entry.directoryName else {
            throw PlacementError.otherName(name, found: found)
        }
        try await session.execute(
            """
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
            """)
        // A copy, a comparison and a wait may take long, and the limits are this program's.
        try await session.runScript(
            "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '60s'")
    }
}
