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
        for entity in work.entities {
            let (new, known, kept) = work.changed(of: entity, hub.entities[entity])
            let table = tables[entity]
            for part in new.parts(ofBytes: Push.writtenMaxBytes) {
                try isolate(part, session) {
                    [table.inserting(Array(new[$0]), in: space)]
                } found: { place, error in
                    refused[WorkingSet.Key(entity: entity, id: new[place].id)] = error
                }
            }
            for part in known.parts(ofBytes: Push.writtenMaxBytes) {
                try isolate(part, session) { part in
                    table.updating(Array(known[part]), keeping: kept.isEmpty ? [] : Array(kept[part]), in: space)
                } found: { place, error in
                    refused[WorkingSet.Key(entity: entity, id: known[place].id)] = error
                }
            }
        }
        return refused
    }

    private func isolate(
        _ part: Range<Int>, _ session: isolated Session, writing: (Range<Int>) -> [Command],
        found: (Int, PGError) -> Void
    ) throws {
        // What waits for the end of the transaction is to speak now.
        let commands = writing(part) + ["SET CONSTRAINTS ALL IMMEDIATE"]
        do {
            try session.savepoint { session in try session.pipeline(commands) }
        } catch let error as PGError where error.refusesData {
            if part.count == 1 { return found(part.lowerBound, error) }
            let middle = part.lowerBound + part.count / 2
            try isolate(part.lowerBound..<middle, session, writing: writing, found: found)
            try isolate(middle..<part.upperBound, session, writing: writing, found: found)
        }
    }
}
