import PGStore
import Postgres
import WireFormats

/// The first stage of a push: locks the space and reads everything that the push needs.
struct Loading {
    private let push: Push
    private let store: AppStore
    private let bytesMax: Int
    private let optimistic: [[ID]]
    private let fetches: [RecordFetch]
    /// The command that reads how many records the device has deleted recently; `nil` if the push deletes nothing, or
    /// if any number of deletions is allowed.
    private let recalling: Command?
    /// The commands of the first round trip.
    let commands: [Command]

    /// Prepares the commands of the first round trip.
    ///
    /// - Parameter bytesMax: the most bytes of records that the push may read, see `SyncEngine.fetchedMaxBytes`.
    init(_ push: Push, _ store: AppStore, bytesMax: Int = SyncEngine.fetchedMaxBytes) {
        (self.push, self.store, self.bytesMax) = (push, store, bytesMax)
        let (named, optimistic) = Loading.ids(of: push, store)
        self.optimistic = optimistic
        fetches = Loading.fetches(named, of: push, store, bytesMax: bytesMax)
        recalling = push.massDeletions?.recalling(push, store.spaces)
        let looking = zip(store.tables, optimistic).compactMap { table, ids in
            ids.first.map { table.looking(for: $0, in: push.space) }
        }
        // Claims a number for each change; too many where a record is named again, and then the end of the push
        // corrects the head.
        commands =
            [store.spaces.claiming(push.changes.count, created: push.createdCount, in: push.space)]
            + [recalling].compactMap { $0 } + fetches.map(\.command) + looking
            + [Naming.looking(for: push, store)].compactMap { $0 }
    }

    /// Loads everything that the push needs.
    ///
    /// The first round trip locks the space, claims a sequence number for each record, and reads the records that the
    /// changes name. Numbers are assigned in commit order, because the space stays locked until the push commits.
    /// Pushes into other spaces do not wait. Each statement sees everything that was committed before it began, so the
    /// records are read as they are under the lock.
    ///
    /// Up to two more round trips follow. One reads the replacements of stamps that were too far ahead. The other reads
    /// the remembered verdicts of changes that were sent before. Each is left out if the space has no such rows.
    ///
    /// If a push creates many records of an entity, the database is asked only for the first of them. If it does not
    /// exist, the others are assumed to be new, too. If it exists, the database is asked for the others as well: this
    /// may be a retry, or a device that sends all of its records once more.
    ///
    /// - Parameter answers: the results of `commands`; `nil` if they have not been run yet.
    /// - Throws: `SyncError` if the state of the space does not allow the push, or if the push needs too much;
    ///   `PGError`.
    func load(_ answers: [Rows]?, _ session: isolated Session) throws -> PushContext {
        let (spaces, space) = (store.spaces, push.space)
        var fetches = fetches
        var results = try answers ?? session.pipeline(commands)
        if results[0].count == 0 {
            results = Array(try session.pipeline([spaces.creating(space)] + commands).dropFirst())
        }
        let deleted = recalling == nil ? nil : Spaces.Deleted(results.remove(at: 1))
        let lookingCount = optimistic.count { !$0.isEmpty }
        let names = results.count > 1 + fetches.count + lookingCount ? results.removeLast() : nil
        // No row although the space was created: it is another database's.
        guard let claim = SpaceClaim(results[0]) else { throw SyncError.elsewhere }
        let state = claim.state
        try spaces.check(state, revocations: push.revocations)
        try push.cursor?.check(against: state, app: store.app, space: space)
        let clamps = try push.quarantine.given ?? (claim.mayHaveClamps ? recallClamps(session) : Clamps())
        var judgements = Judgements(push, store.hub)
        if claim.mayHaveJudged { try judgements.recall(push.changes, spaces, space, session) }
        var loaded = Array(results.dropFirst().prefix(fetches.count))
        let hasKnown = results.suffix(lookingCount).contains { $0.count > 0 }
        if hasKnown {
            let others = Loading.fetches(optimistic, of: push, store, bytesMax: bytesMax)
            fetches += others
            loaded += try session.pipeline(others.map(\.command))
        }
        let small = zip(fetches, loaded).filter { isSmall($0.0, in: state) }.map { ($0.entity, $1) }
        let large = try readWithoutWhatIsNotNeeded(fetches.filter { !isSmall($0, in: state) }, session)
        var work = workingSet(small + large)
        if !hasKnown { work.optimistic = Set(optimistic.indices.filter { !optimistic[$0].isEmpty }) }
        var outcome = Push.Outcome(
            verdicts: Array(repeating: nil, count: push.count), headBefore: state.head, head: state.head,
            epoch: state.epoch, era: state.eras.latest)
        for sent in push.changes { outcome.verdicts[sent.index] = judgements.verdict(of: sent) }
        var context = PushContext(
            push: push, store: store, claim: claim, work: work, clamps: clamps, judgements: judgements,
            counting: Counting(hub: store.hub, device: push.device, mode: push.mode), outcome: outcome)
        context.deleted = deleted
        if let names { context.naming.note(names) }
        return context
    }

    /// The ids of records of one entity that the push must read, and the command that reads them. The command reads all
    /// values only if the records are small.
    private struct RecordFetch {
        let entity: Int
        let ids: [ID]
        let command: Command
    }

    private static func fetches(_ ids: [[ID]], of push: Push, _ store: AppStore, bytesMax: Int) -> [RecordFetch] {
        ids.indices.filter { !ids[$0].isEmpty }.map { entity in
            RecordFetch(
                entity: entity, ids: ids[entity],
                command: store.tables[entity].selectingIfSmall(ids[entity], in: push.space, bytesMax: bytesMax))
        }
    }

    private func isSmall(_ fetch: RecordFetch, in state: SpaceState) -> Bool {
        RecordTable.areSmall(fetch.ids.count, in: state, bytesMax: bytesMax)
    }

    /// Reads the records of a space that has large records. Of their large values, it reads only those that the changes
    /// concern.
    ///
    /// - Throws: `SyncError.tooMuchToRead` if even these values are too many bytes; `PGError`.
    private func readWithoutWhatIsNotNeeded(
        _ fetches: [RecordFetch], _ session: isolated Session
    ) throws -> [(Int, Rows)] {
        if fetches.isEmpty { return [] }
        var needs: [WorkingSet.Key: UInt64] = [:]
        for (_, change, _) in push.changes {
            let bits = change.needs(of: store.hub.entities[change.projection.entity])
            if bits != 0 { needs[change.key, default: 0] |= bits }
        }
        var measures: [Command] = []
        var selections: [(entity: Int, command: Command)] = []
        for fetch in fetches {
            let (table, space) = (store.tables[fetch.entity], push.space)
            func isConcerned(_ id: ID) -> Bool { needs[WorkingSet.Key(entity: fetch.entity, id: id)] != nil }
            let (concerned, others) = (fetch.ids.filter(isConcerned), fetch.ids.filter { !isConcerned($0) })
            let bits = concerned.reduce(0) { $0 | (needs[WorkingSet.Key(entity: fetch.entity, id: $1)] ?? 0) }
            if !others.isEmpty { selections.append((fetch.entity, table.selecting(others, in: space, needed: 0))) }
            if concerned.isEmpty { continue }
            measures.append(table.measuring(concerned, in: space, needed: bits))
            selections.append((fetch.entity, table.selecting(concerned, in: space, needed: bits)))
        }
        let bytes = try session.pipeline(measures).reduce(0) { $0 + $1.number }
        guard bytes <= bytesMax else { throw SyncError.tooMuchToRead(bytes: bytes, max: bytesMax) }
        return Array(zip(selections.map(\.entity), try session.pipeline(selections.map(\.command))))
    }

    private func recallClamps(_ session: isolated Session) throws -> Clamps {
        let stamps = push.changes.map(\.stamp)
        let rows = try session.execute(
            store.spaces.recallingClamps(
                from: stamps.min() ?? .never, through: stamps.max() ?? .never, device: push.clampedDevice,
                in: push.space))
        var clamps = Clamps()
        for clamp in Spaces.Clamp.all(rows) { clamps[clamp.sent] = clamp.given }
        return clamps
    }

    /// Returns the records that exist, sorted by table and id. PostgreSQL updates them in that order, and they get
    /// their sequence numbers in the same order. So records that follow each other in a pull were also written one
    /// after the other.
    private func workingSet(_ results: [(Int, Rows)]) -> WorkingSet {
        var known: [Int: [WorkingSet.Entry]] = [:]
        for (entity, rows) in results where rows.count > 0 {
            known[entity, default: []] += (0..<rows.count).map { row in
                let state = store.tables[entity].state(rows, row)
                return WorkingSet.Entry(key: WorkingSet.Key(entity: entity, id: state.id), before: state, state: state)
            }
        }
        var work = WorkingSet(capacity: push.changes.count, returning: store.returning)
        for entity in known.keys.sorted() {
            // A record that the push also creates was perhaps read twice.
            for entry in known[entity]!.sorted(by: { $0.key.id < $1.key.id }) where !work.contains(entry.key) {
                work.add(entry)
            }
        }
        return work
    }

    /// Returns the ids that the changes name, by entity; an id may occur more than once. If a push creates several
    /// records of an entity, their ids are in `optimistic` instead, because only the first of them is looked for.
    private static func ids(of push: Push, _ store: AppStore) -> (named: [[ID]], optimistic: [[ID]]) {
        var named = Array(repeating: [ID](), count: store.hub.entities.count)
        var created = named
        for (_, change, _) in push.changes {
            if push.insertsOptimistically, change.operation == .create {
                created[change.projection.entity].append(change.id)
            } else {
                named[change.projection.entity].append(change.id)
            }
        }
        for (entity, ids) in created.enumerated() where ids.count == 1 {
            named[entity] += ids
            created[entity] = []
        }
        return (named, created)
    }
}
