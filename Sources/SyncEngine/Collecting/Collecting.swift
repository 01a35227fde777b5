import PGStore
import Postgres
import WireFormats

/// One step of collecting a space's tombstones, inside a transaction that has entered the space. Old tombstones are
/// removed. Younger ones are cleared: the deleted record's values are removed, and its tombstone stays.
///
/// The step locks the space, like a push. So no push changes these rows meanwhile. The horizon (the highest number of a
/// removed tombstone) rises in the same transaction.
///
/// The age of a tombstone follows from its sequence number. The table `sync.mark` has times of the database's clock,
/// each with the head (highest sequence number) that the space had then.
struct Collecting {
    let hub: Hub
    let tables: [RecordTable]
    let tombstones: Tombstones
    let spaces: Spaces
    let space: ID
    /// The current time by the database's clock, which another clock has confirmed.
    let now: Timestamp
    /// The time up to which deletions count as old: the tombstones (the rows of deleted records) of older deletions are
    /// removed.
    let cutoff: Timestamp
    /// The time up to which the values of deleted records are removed, while their tombstones stay. `nil` if the
    /// tombstones are removed so early that their values need not be removed before.
    let clearedUntil: Timestamp?
    /// The values that replace those of a deleted record, by index in `Hub.entities`: each attribute has its default.
    let blanks: [[Value]]
    /// The sequence number up to which earlier steps have removed the values of each entity's deleted records, by index
    /// in `Hub.entities`.
    var clearedThrough: [Int: Int64] = [:]

    /// The most rows that one transaction removes or clears. A push to the space waits meanwhile.
    static let removedMax = 1_000
    /// The least time between two marks (rows that record a time and the space's head at that time). A tombstone may
    /// stay longer by this interval, and a busy space has one mark for each interval.
    static let markInterval = Duration.seconds(24 * 3600)

    struct Outcome: Sendable {
        var tombstones = 0
        /// The count of deleted records whose values were removed, and whose tombstones stay.
        var cleared = 0
        /// The tables whose deleted records could not be cleared, because a constraint that the plan does not know
        /// refuses records without values.
        var unclearable: Set<String> = []
        /// The sequence number up to which the values of each entity's deleted records are now removed, by index in
        /// `Hub.entities`. The next step continues there.
        var clearedThrough: [Int: Int64] = [:]
        var clamps = 0
        var increments = 0
        var judged = 0

        var isEmpty: Bool { tombstones + cleared + clamps + increments + judged == 0 }
    }

    /// Runs one step.
    ///
    /// - Returns: counts of the removed rows; empty when nothing is left to collect.
    func run(on session: isolated Session) throws -> Outcome {
        let rows = try session.pipeline([
            spaces.lockingToCollect(space), spaces.latestMark(space, through: cutoff), spaces.latestMark(space),
            spaces.latestMark(space, through: clearedUntil ?? cutoff),
            spaces.countingJudged(space, before: oldestStamp),
        ])
        guard let collected = Spaces.Collected(rows[0]) else { return Outcome() }
        let (old, latest, clearable) = (Spaces.Mark(rows[1]), Spaces.Mark(rows[2]), Spaces.Mark(rows[3]))
        let head = collected.head
        var last: [Command] = []
        if !collected.isMeasured { last.append(try measuring(session)) }
        if !collected.isCounted { last.append(try counting(session)) }
        if needsMark(latest, head: head) { last.append(spaces.marking(space, head: head, at: now)) }
        if let old { last.append(spaces.forgettingMarks(space, before: old.at)) }
        var outcome = Outcome()
        let forgotten = try session.pipeline(
            spaces.forgetting(space, before: oldestStamp, limit: Collecting.removedMax))
        let judged = try session.pipeline(
            Command.withoutNestedLoops([
                spaces.forgettingJudged(space, before: oldestStamp, limit: Collecting.removedMax)
            ]))
        outcome.judged = judged[1].number
        outcome.clamps = forgotten[1].number
        outcome.increments = forgotten[2].number
        let end = end(old, head: head)
        if end > collected.swept {
            let horizon = try removeTombstones(through: end, &outcome, session)
            let swept = outcome.tombstones == 0 ? end : collected.swept
            last.append(spaces.sweeping(space, horizon: horizon, swept: swept))
        }
        let clearedEnd = clearedEnd(clearable)
        if clearedEnd > collected.cleared {
            try clear(through: clearedEnd, &outcome, session)
            if outcome.cleared == 0 { last.append(spaces.cleared(space, through: clearedEnd)) }
        }
        try session.commitPipeline(last)
        return outcome
    }

    /// Returns upper limits for the numbers of rows that collecting the space would remove, in all steps together.
    ///
    /// Fewer rows may be removed: a tombstone stays while there is a younger tombstone of a record that was deleted
    /// together with it.
    func count(on session: isolated Session) throws -> Outcome {
        let rows = try session.pipeline([
            spaces.readingCollected(space), spaces.latestMark(space, through: cutoff),
            spaces.countingClamps(space, before: oldestStamp), spaces.countingIncrements(space, before: oldestStamp),
            spaces.latestMark(space, through: clearedUntil ?? cutoff),
            spaces.countingJudged(space, before: oldestStamp),
        ])
        guard let collected = Spaces.Collected(rows[0]) else { return Outcome() }
        var outcome = Outcome(clamps: rows[2].number, increments: rows[3].number, judged: rows[5].number)
        let clearedEnd = clearedEnd(Spaces.Mark(rows[4]))
        if clearedEnd > collected.cleared {
            let kept = try kept(through: clearedEnd, session)
            let counts = try session.pipeline(
                hub.entities.indices.map {
                    tombstones.countingClearable($0, in: space, through: clearedEnd, but: kept[$0] ?? [])
                })
            outcome.cleared = counts.reduce(0) { $0 + $1.number }
        }
        let end = end(Spaces.Mark(rows[1]), head: collected.head)
        guard end > collected.swept else { return outcome }
        let kept = try kept(through: end, session)
        let counts = try session.pipeline(
            hub.entities.indices.map {
                tombstones.counting($0, in: space, through: end, but: kept[$0] ?? [])
            })
        outcome.tombstones = counts.reduce(0) { $0 + $1.number }
        return outcome
    }

    /// Measures the largest record of a space that was filled before record sizes were stored, and returns the command
    /// that stores its size.
    private func measuring(_ session: isolated Session) throws -> Command {
        let largest = try session.pipeline(tables.map { $0.measuringLargest(in: space) })
        let sizes = zip(tables, largest).map { table, rows in (rows.intIfPresent(0, 0) ?? 0) + table.otherBytesMax }
        return spaces.measured(space, recordSize: Int(sizes.max() ?? 0).roundedUpToPowerOfTwo)
    }

    /// Counts the records of a space and their bytes, and returns the command that stores the counts. It is called if
    /// none are stored, or if they may be wrong.
    private func counting(_ session: isolated Session) throws -> Command {
        let counts = try session.pipeline(tables.map { $0.countingLiving(in: space) })
        return spaces.counted(
            space, records: counts.reduce(0) { $0 + $1.int(0, 0) }, bytes: counts.reduce(0) { $0 + $1.int(0, 1) })
    }

    /// Returns the sequence number up to which tombstones are old enough to be removed; 0 if none are.
    ///
    /// - Parameter mark: the latest mark (a time and the space's head at that time) that is not later than `cutoff`;
    ///   `nil` if there is none.
    private func end(_ mark: Spaces.Mark?, head: Int64) -> Int64 {
        cutoff >= now ? head : mark?.head ?? 0
    }

    /// Returns the sequence number up to which the values of deleted records may be removed; 0 if none may.
    ///
    /// - Parameter mark: the latest mark (a time and the space's head at that time) that is not later than
    ///   `clearedUntil`; `nil` if there is none.
    private func clearedEnd(_ mark: Spaces.Mark?) -> Int64 {
        clearedUntil == nil ? 0 : mark?.head ?? 0
    }

    /// The stamp before which remembered verdicts, increments and clamps (replacements of stamps that were too far
    /// ahead) are removed. They are dated by the database's clock, like `cutoff`.
    private var oldestStamp: Stamp { Stamp(milliseconds: cutoff.microseconds / 1000) }

    /// Returns true if a new mark (a row that records the time and the space's head) is due. A mark is never earlier
    /// than the latest one: a clock that was set back would make young tombstones look old.
    private func needsMark(_ latest: Spaces.Mark?, head: Int64) -> Bool {
        guard let latest else { return head > 0 }
        return head > latest.head && now >= latest.at.adding(Collecting.markInterval)
    }

    /// Removes old tombstones.
    ///
    /// - Returns: the highest sequence number of a removed tombstone; 0 if none was removed.
    private func removeTombstones(
        through end: Int64, _ outcome: inout Outcome, _ session: isolated Session
    ) throws -> Int64 {
        let kept = try kept(through: end, session)
        var horizon: Int64 = 0
        // Later entities are mostly children of earlier ones, and children are removed first.
        for entity in hub.entities.indices.reversed() where outcome.tombstones < Collecting.removedMax {
            let command = tombstones.removing(
                entity, in: space, through: end, but: kept[entity] ?? [],
                limit: Collecting.removedMax - outcome.tombstones)
            let removal = Tombstones.Removal(try session.execute(command))
            outcome.tombstones += removal.count
            horizon = max(horizon, removal.last)
        }
        return horizon
    }

    private func clear(through end: Int64, _ outcome: inout Outcome, _ session: isolated Session) throws {
        let kept = try kept(through: end, session)
        outcome.clearedThrough = clearedThrough
        let deletedBy = Stamp(milliseconds: (clearedUntil ?? cutoff).microseconds / 1000)
        for entity in hub.entities.indices where outcome.cleared < Collecting.removedMax {
            let command = tombstones.clearing(
                entity, in: space, after: clearedThrough[entity] ?? 0, through: end, but: kept[entity] ?? [],
                limit: Collecting.removedMax - outcome.cleared, deletedBy: deletedBy, to: blanks[entity])
            do {
                let rows = try session.savepoint { session in try session.execute(command) }
                let removal = Tombstones.Removal(rows)
                outcome.cleared += removal.count
                outcome.clearedThrough[entity] = max(clearedThrough[entity] ?? 0, removal.last)
            } catch let error as PGError where error.refusesData {
                outcome.unclearable.insert(tables[entity].name)
            }
        }
    }

    /// Returns the records whose tombstones must stay although they are old, by entity. They were deleted by a cascade
    /// from a record whose tombstone is younger, and are restored if that record is created again.
    private func kept(through end: Int64, _ session: isolated Session) throws -> [Int: Set<ID>] {
        let links = tombstones.links
        if links.isEmpty { return [:] }
        var kept: [Int: Set<ID>] = [:]
        var frontier: [Int: Set<ID>] = [:]
        func take(_ rows: Rows, of entity: Int, into next: inout [Int: Set<ID>]) {
            for id in rows.ids where kept[entity, default: []].insert(id).inserted {
                next[entity, default: []].insert(id)
            }
        }
        let young = try session.pipeline(links.map { tombstones.childrenOfYoung($0, in: space, through: end) })
        for (link, rows) in zip(links, young) { take(rows, of: link.child, into: &frontier) }
        while !frontier.isEmpty {
            var next: [Int: Set<ID>] = [:]
            for link in links {
                guard let parents = frontier[link.parent] else { continue }
                let rows = try session.execute(tombstones.children(of: parents, link, in: space, through: end))
                take(rows, of: link.child, into: &next)
            }
            frontier = next
        }
        return kept
    }
}
