import PGStore
import WireFormats

// Which records of a push PostgreSQL does not take.
extension Push {
    /// Writes the records as the push would, by halves where they are refused, down to single ones, each part under a
    /// savepoint. So one transaction finds all of them, and costs by their number: of n records with k at fault some
    /// k × log n parts are written.
    func refusedRecords(
        of work: WorkingSet, _ session: isolated Session
    ) throws -> [WorkingSet.Key: PGError] {
        var refused: [WorkingSet.Key: PGError] = [:]
        for batch in work.batches(ofBytes: Push.writtenMaxBytes, hub) { try isolate(batch, &refused, session) }
        return refused
    }

    private func isolate(
        _ batch: WriteBatch, _ refused: inout [WorkingSet.Key: PGError], _ session: isolated Session
    ) throws {
        // What waits for the end of the transaction is to speak now.
        let commands = batch.commands(tables[batch.entity], in: space) + ["SET CONSTRAINTS ALL IMMEDIATE"]
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
