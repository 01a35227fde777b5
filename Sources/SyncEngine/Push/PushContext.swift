import PGStore
import Postgres
import WireFormats

/// The state of one attempt at a push. Each stage reads the results of the stages before it, and adds its own.
struct PushContext {
    let push: Push
    let store: AppStore
    /// The state of the space before the push, and the sequence numbers that the push has claimed.
    let claim: SpaceClaim
    /// The records that the push names, and those that are restored with them.
    var work: WorkingSet
    /// The replacements of stamps that were too far ahead of the server's clock.
    var clamps: Clamps
    var judgements: Judgements
    var counting: Counting
    var naming = Naming()
    var outcome: Push.Outcome
    /// Changes that are not retries but leave every stored value as it was, by index in the request.
    var saidAgain: Set<Int> = []
    /// The values that the devices of changes in quarantine had read and only repeated, by index in the request.
    var readings: [Int: HeldReading] = [:]
    /// The number of records that the device had deleted recently; `nil` if it had deleted none, or if the number was
    /// not read.
    var deleted: Spaces.Deleted?
    /// The bytes of records that were merged more than once: a record's size for each of its changes after the first.
    var repeatedBytes = 0
    /// The bytes of the largest record that is written.
    var largestWrittenBytes = 0
    /// The number of records that the cascade deleted in the database, after the records of the push were written.
    var deletedElsewhere: Int64 = 0
    /// The growth of the space by this push.
    var growth = Spaces.Growth()
    /// The writes that are still to be sent, together with COMMIT.
    var writes: [Write] = []

    /// A statement that writes, with the number of rows that it must write.
    struct Write {
        let command: Command
        /// The number of rows that the statement must write; `nil` if it is not known.
        var rows: Int?

        /// Checks that each statement wrote as many rows as it must. An update in the wrong space is found only by this
        /// check: row-level security hides the rows from it, and PostgreSQL reports no error.
        ///
        /// - Throws: `WroteElsewhere`, if the number of rows differs.
        static func check(_ writes: [Write], _ results: [Rows]) throws {
            for (write, rows) in zip(writes, results) where write.rows.map({ $0 != rows.affectedCount }) ?? false {
                throw WroteElsewhere()
            }
        }
    }

    var space: ID { push.space }

    func entity(of key: WorkingSet.Key) -> HubEntity { store.hub.entities[key.entity] }

    /// The deletions that are new: each is later than the record's deletion before the push, if there was one. Any
    /// other deletion already has a verdict, which does not change.
    var newDeletions: [(index: Int, key: WorkingSet.Key)] {
        push.changes.compactMap { index, change, sent in
            guard change.operation == .delete, let verdict = outcome.verdicts[index], !verdict.leavesNothing,
                verdict != .superseded, let slot = work.slot(of: change.key)
            else { return nil }
            let isNew = change.stamp == nil || outcome.stamps[index] ?? sent > work[slot].before?.deletedStamp ?? .never
            return isNew ? (index, change.key) : nil
        }
    }

    /// The deletions of records that were alive before the push, as indices in the request.
    var endingDeletions: [Int] {
        newDeletions.filter { _, key in
            guard let slot = work.slot(of: key) else { return false }
            return work[slot].wasAlive && !work[slot].state.isAliveItself
        }.map(\.index)
    }
}
