import PGStore
import Postgres
import WireFormats

/// The stage of a dry run that finds the records of the push which PostgreSQL does not accept.
extension PushContext {
    /// Writes the records as the push would. A batch that is refused is split in halves, down to single records, each
    /// part under a savepoint. So one transaction finds all refused records, and the cost follows their number: for k
    /// refused records among n, about k × log n parts are written.
    func refusedRecords(_ session: isolated Session) throws -> [WorkingSet.Key: PGError] {
        var refused: [WorkingSet.Key: PGError] = [:]
        for batch in work.batches(ofBytes: PushContext.batchMaxBytes, store.hub) {
            try isolate(batch, &refused, session)
        }
        return refused
    }

    private func isolate(
        _ batch: WriteBatch, _ refused: inout [WorkingSet.Key: PGError], _ session: isolated Session
    ) throws {
        // Checks deferred constraints now, and not at the end of the transaction.
        let table = store.tables[batch.entity]
        let commands = batch.commands(table, in: space) + ["SET CONSTRAINTS ALL IMMEDIATE"]
        do {
            try session.savepoint { session in try session.pipeline(commands) }
        } catch let error as PGError where error.refusesData {
            guard let halves = batch.halves else {
                refused[WorkingSet.Key(entity: batch.entity, id: batch.states[0].id)] = error
                return
            }
            for half in halves { try isolate(half, &refused, session) }
        }
    }
}
