import PGStore
import Postgres

/// Checks that nothing happens beside a run of migrations that it would break.
extension Migrator {
    /// A move holds the lock of migration runs. But if it was interrupted, its replication goes on.
    func refuseDuringMove(_ session: Session) async throws(MigrationError) {
        let isMoving = try await asMigrationError { () throws(PGError) in
            try await session.execute(SpaceReplication.findingAny).bool(0, 0)
        }
        if isMoving { throw .moving }
    }

    /// Prevents servers from starting that could not read the tables after these steps. Such servers can start again
    /// when the migration run has ended.
    func lockOutServersThatCannotRead(
        after pending: [PendingStep], _ session: Session
    ) async throws(MigrationError) {
        for pendingStep in pending {
            let (lineName, number) = (pendingStep.file.id.line, pendingStep.file.id.number)
            guard let change = pendingStep.file.firstBreak(in: pendingStep.step) else { continue }
            let present = try await asMigrationError { () throws(PGError) in
                try await ServingLevel.exclude(below: number, of: lineName, session)
            }
            guard present.isEmpty else {
                throw .unreadableTables(
                    path: pendingStep.file.path, line: change.lineNumber,
                    "\(ServingLevel.obstacle(present, of: lineName)), and could not read \(change.what)")
            }
        }
    }
}
