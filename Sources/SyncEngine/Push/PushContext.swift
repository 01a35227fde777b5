import PGStore
import Postgres
import WireFormats

/// What one attempt at a push knows: each stage reads what those before it found, and adds what it does.
struct PushContext {
    let push: Push
    let store: AppStore
    /// What was found in the space's row, and left there.
    let claim: SpaceClaim
    /// The records that the push names, and those that come along.
    var work: WorkingSet
    /// What stands for stamps that were too far ahead.
    var clamps: Clamps
    var judgements: Judgements
    var counting: Counting
    var naming = Naming()
    var outcome: Push.Outcome
    /// Changes that say what the record held before, but were not said before, by place in the request.
    var saidAgain: Set<Int> = []
    /// The readings of the changes that are held, by place in the request.
    var readings: [Int: HeldReading] = [:]
    /// The number of records that the device had deleted of late; `nil` where it had deleted none, or nobody asked.
    var deleted: Spaces.Deleted?
    /// What changes after the first of their records have gone through.
    var repeatedBytes = 0
    /// The bytes of the largest record that is written.
    var largestWrittenBytes = 0
    /// How many records died that the push does not name, and that it has not read.
    var diedElsewhere: Int64 = 0
    /// What the space holds more than before.
    var growth = Spaces.Growth()
    /// What is yet to be written. It goes along with COMMIT.
    var writes: [Write] = []

    /// A statement that writes.
    struct Write {
        let command: Command
        /// How many rows it must write, where that is known.
        var rows: Int?

        /// - Throws: `WroteElsewhere` where it was another number. What row-level security hides is no error for an
        ///   update, so a statement behind another space's wall would write nothing and say nothing.
        static func check(_ writes: [Write], _ results: [Rows]) throws {
            for (write, rows) in zip(writes, results) where write.rows.map({ $0 != rows.affectedCount }) ?? false {
                throw WroteElsewhere()
            }
        }
    }

    var space: ID { push.space }

    func entity(of key: WorkingSet.Key) -> HubEntity { store.hub.entities[key.entity] }

    /// The deletions that say what nobody has said: others of the same record have a verdict already, which stays.
    var newDeletions: [(index: Int, key: WorkingSet.Key)] {
        push.changes.compactMap { index, change, sent in
            guard change.operation == .delete, let verdict = outcome.verdicts[index], !verdict.leavesNothing,
                verdict != .superseded, let place = work.place(of: change.key)
            else { return nil }
            let isNew = change.stamp == nil || outcome.stamps[index] ?? sent > work[place].before?.died ?? .never
            return isNew ? (index, change.key) : nil
        }
    }

    /// Those of them that end a life, by place in the request.
    var endedLives: [Int] {
        newDeletions.filter { _, key in
            guard let place = work.place(of: key) else { return false }
            return work[place].wasAlive && !work[place].state.isAliveItself
        }.map(\.index)
    }
}
