import WireFormats

/// Decides which changes of a push must be refused, because with them two records would have the same value of a unique
/// attribute at the end of the push. It works in memory.
///
/// A record asks for a value that it has at the end and did not have before. First, changes are refused that ask for a
/// value which another record had before and keeps. Then, among changes that ask for the same value, all but the first
/// are refused. After a refusal, the record has its earlier value again, so other changes that ask for that value must
/// be refused, too.
///
/// Each refusal merges the changes of one record once more. If more than `removalsMax` changes of a record are refused,
/// all its changes that ask for any value are refused. So all refusals together cost at most as much as merging the
/// whole push `3 * removalsMax` times.
struct UniqueContest {
    /// The data that a contest needs, besides the changes and records of the push, to merge changes again.
    struct Rules {
        let hub: Hub
        /// The projections (translations to and from the tables) of each entity in all versions, by index of the
        /// entity.
        let readers: [[Projection]]
        let mode: ChangeMode
        /// True if the push has been run again so often that it must end now. A change is then refused whenever it asks
        /// for a value that another record has, or had before. So no two records can have the same value.
        let isLastResort: Bool
    }

    /// The most changes of one record that are refused one by one. If more must be refused, all changes of the record
    /// that set a unique value are refused.
    static let removalsMax = 8
    /// The most times that a push is run again because changes were refused for their unique values.
    ///
    /// Usually once is enough. A refused change can also alter which records are alive, or what counters contain. Only
    /// another run of the push computes that, and it may find more changes to refuse.
    static let roundsMax = 8

    private let rules: Rules
    private let outside: [UniqueValue: Set<ID>]
    private let gone: Set<WorkingSet.Key>
    /// For each unique value, the ids of the push's records that have it at the end of the push.
    private var inside: [UniqueValue: Set<ID>] = [:]
    private var formerly: [UniqueValue: Set<ID>] = [:]
    private var entries: [WorkingSet.Key: WorkingSet.Entry] = [:]
    private var changes: [WorkingSet.Key: [Merged]] = [:]
    /// The unique values that each record has without the changes refused so far, computed on demand.
    private var holdings: [WorkingSet.Key: Holdings] = [:]
    private var removals: [WorkingSet.Key: [Int: UniqueValue]] = [:]

    private struct Merged {
        let index: Int
        let change: Change
        let stamp: Stamp
    }

    /// The unique values of a record at the end of the push. Each comes with the index in the request of the change
    /// that set it, or with -1 if the record had the value before the push.
    private typealias Holdings = [UniqueValue: Int]

    /// Creates a contest between the merged changes of a push.
    ///
    /// - Parameters:
    ///   - gone: records of the push that were deleted by a cascade from records outside of the push.
    ///   - outside: for each unique value, the ids of the records outside of the push that have it.
    init(
        rules: Rules, _ changes: [(index: Int, change: Change, stamp: Stamp)], _ work: WorkingSet,
        gone: Set<WorkingSet.Key>, outside: [UniqueValue: Set<ID>]
    ) {
        self.rules = rules
        self.outside = outside
        self.gone = gone
        for slot in work.indices where !rules.hub.entities[work[slot].key.entity].uniqueColumns.isEmpty {
            let (entry, entity) = (work[slot], rules.hub.entities[work[slot].key.entity])
            entries[entry.key] = entry
            if entry.state.isAlive, !gone.contains(entry.key) {
                for unique in entity.uniqueValues(of: entry.state) { inside[unique, default: []].insert(entry.key.id) }
            }
            if let before = entry.before, before.isAliveItself {
                for unique in entity.uniqueValues(of: before) { formerly[unique, default: []].insert(entry.key.id) }
            }
        }
        for (index, change, stamp) in changes where entries[change.key] != nil {
            self.changes[change.key, default: []].append(Merged(index: index, change: change, stamp: stamp))
        }
    }

    /// Decides which changes are refused.
    ///
    /// - Parameter asking: the records that have a unique value which they did not have before the push.
    /// - Returns: the reason for each refused change, by index in the request.
    mutating func resolve(_ asking: Set<WorkingSet.Key>) -> [Int: Rejection] {
        var asked: Set<UniqueValue> = []
        for key in asking {
            guard let entry = entries[key] else { continue }
            asked.formUnion(rules.hub.entities[key.entity].uniqueValues(of: entry.state))
        }
        var met = asked.filter { isMet($0) }
        if met.isEmpty { return [:] }
        if rules.isLastResort {
            for unique in asked { removeAll(of: unique) }
            return refusals()
        }
        while !met.isEmpty {
            var rivals = dismiss(&met)
            rivals.sort { $0.later < $1.later }
            for (unique, _) in rivals {
                // Changes that were dismissed meanwhile may have changed the askers.
                let askers = askers(for: unique)
                for asker in askers.dropFirst() { met.formUnion(remove(asker.since, of: asker.key, for: unique)) }
                let between = dismiss(&met).map(\.unique)
                met.formUnion(between)
            }
        }
        readmit()
        return refusals()
    }

    private func others(than id: ID?, unique: UniqueValue) -> [ID] {
        ((outside[unique] ?? []).union(inside[unique] ?? [])).filter { $0 != id }
    }

    private func isMet(_ unique: UniqueValue) -> Bool {
        let count = (inside[unique]?.count ?? 0) + (outside[unique]?.count ?? 0)
        return count > 1 || rules.isLastResort && count + (formerly[unique]?.count ?? 0) > 1
    }

    /// Returns the records of the push that have a unique value at the end and did not have it before. Each comes with
    /// the index in the request of the change that sets the value (`since`), and they are sorted by this index.
    private mutating func askers(for unique: UniqueValue) -> [(key: WorkingSet.Key, since: Int)] {
        var askers: [(key: WorkingSet.Key, since: Int)] = []
        for id in inside[unique] ?? [] {
            let key = WorkingSet.Key(entity: unique.entity, id: id)
            if let since = holdings(of: key)[unique], since >= 0 { askers.append((key, since)) }
        }
        return askers.sorted { $0.since < $1.since }
    }

    /// Refuses each change that gives its record a new unique value which another record has already. A refusal may
    /// give a record its earlier value back; these values are checked, too.
    ///
    /// - Parameter met: the values to check; empty afterwards.
    /// - Returns: the values that are new to several records, and that no other record has. Each comes with the index
    ///   of the second change that sets it.
    private mutating func dismiss(_ met: inout Set<UniqueValue>) -> [(unique: UniqueValue, later: Int)] {
        var rivals: [UniqueValue: Int] = [:]
        while let unique = met.popFirst() {
            rivals[unique] = nil
            let askers = askers(for: unique)
            let isHeld = !(outside[unique] ?? []).isEmpty || askers.count < inside[unique]?.count ?? 0
            if isHeld {
                for asker in askers { met.formUnion(remove(asker.since, of: asker.key, for: unique)) }
            } else if askers.count > 1 {
                rivals[unique] = askers[1].since
            }
        }
        return rivals.map { ($0.key, $0.value) }
    }

    /// Refuses a change of a record.
    ///
    /// - Returns: the record's values that must be checked again. They are values that the record gets back without the
    ///   change, and values that another change now sets.
    private mutating func remove(_ index: Int, of key: WorkingSet.Key, for unique: UniqueValue) -> Set<UniqueValue> {
        removals[key, default: [:]][index] = unique
        if removals[key]!.count > UniqueContest.removalsMax { removeAll(of: key, for: unique) }
        return follow(key)
    }

    private mutating func removeAll(of key: WorkingSet.Key, for unique: UniqueValue) {
        let entity = rules.hub.entities[key.entity]
        for merged in changes[key] ?? [] where merged.change.mayAsk(in: entity) {
            let asked = merged.change.uniqueValues(in: entity).first { !others(than: key.id, unique: $0).isEmpty }
            if removals[key]?[merged.index] == nil { removals[key, default: [:]][merged.index] = asked ?? unique }
        }
    }

    private mutating func removeAll(of unique: UniqueValue) {
        for asker in askers(for: unique) {
            let isMet = (inside[unique] ?? []).union(outside[unique] ?? []).union(formerly[unique] ?? [])
                .contains { $0 != asker.key.id }
            if isMet { removeAll(of: asker.key, for: unique) }
        }
    }

    /// Computes which unique values a record has without its refused changes. Returns those that must be checked again:
    /// values that the record did not have at the last computation, and values that another change now sets.
    private mutating func follow(_ key: WorkingSet.Key) -> Set<UniqueValue> {
        let (was, now) = (holdings(of: key), merged(key, without: removals[key] ?? [:]))
        holdings[key] = now
        for unique in was.keys where now[unique] == nil { inside[unique]?.remove(key.id) }
        let gained = Set(now.keys.filter { was[$0] == nil })
        for unique in gained { inside[unique, default: []].insert(key.id) }
        // A value that the record holds since another change than before must be checked again.
        return gained.union(now.keys.filter { was[$0] != now[$0] })
    }

    private mutating func holdings(of key: WorkingSet.Key) -> Holdings {
        if let known = holdings[key] { return known }
        let found = merged(key, without: [:])
        holdings[key] = found
        return found
    }

    /// Merges a record's changes again without the refused ones. Returns the unique values that the record then has.
    ///
    /// The record may then have another parent, and it may not be known if that is alive. Such a record counts as
    /// deleted. If that is wrong, the next run of the push shows it.
    private func merged(_ key: WorkingSet.Key, without removed: [Int: UniqueValue]) -> Holdings {
        guard let entry = entries[key] else { return [:] }
        let entity = rules.hub.entities[key.entity]
        var state = entry.before
        var held: Holdings = [:]
        if let state, state.isAliveItself {
            for unique in entity.uniqueValues(of: state) { held[unique] = -1 }
        }
        for merged in changes[key] ?? [] where removed[merged.index] == nil {
            // A change that a lens cannot translate has no effect.
            guard let next = try? self.state(after: merged, of: state, in: entity) else { continue }
            state = next
            guard next.isAliveItself else {
                held = [:]
                continue
            }
            let uniqueValues = entity.uniqueValues(of: next)
            held = held.filter { uniqueValues.contains($0.key) }
            for unique in uniqueValues where held[unique] == nil { held[unique] = merged.index }
        }
        return state.map { exists($0, in: entry, of: entity) } ?? false ? held : [:]
    }

    /// Returns true if a record that is not deleted itself has no dead parent. A new parent, whose liveness is not
    /// known, counts as dead.
    private func exists(_ state: RecordState, in entry: WorkingSet.Entry, of entity: HubEntity) -> Bool {
        func belongsAsIn(_ other: RecordState) -> Bool {
            entity.references.allSatisfy { !$0.diesWithTarget || state.values[$0.column] == other.values[$0.column] }
        }
        if gone.contains(entry.key) { return false }
        if belongsAsIn(entry.state) { return entry.state.isAlive || !entry.state.isAliveItself }
        guard let before = entry.before, belongsAsIn(before) else { return false }
        return before.isAlive || !before.isAliveItself
    }

    private func state(
        after merged: Merged, of known: RecordState?, in entity: HubEntity
    ) throws(LensFailure) -> RecordState {
        guard var state = known else { return try ConflictMerge.starting(merged.change, at: merged.stamp, in: entity) }
        let news = rules.mode == .whole ? merged.change.withoutEchoes(of: state, in: entity) : merged.change
        let stamp = Clamps().stamp(of: merged.change, sent: merged.stamp, on: state)
        // A repetition by the device makes no other unique value.
        _ = try ConflictMerge.apply(
            news, at: stamp, to: &state, in: entity, readers: rules.readers[entity.index], read: nil)
        return state
    }

    /// Accepts refused changes again if their unique values have become free. A value becomes free if a change of the
    /// other record that had it is refused, too.
    private mutating func readmit() {
        for _ in 0..<UniqueContest.removalsMax {
            var isDone = true
            for (key, index) in removed() {
                guard let all = removals[key], all.count <= UniqueContest.removalsMax else { continue }
                var rest = all
                rest[index] = nil
                let (now, then) = (holdings(of: key), merged(key, without: rest))
                let gained = then.keys.filter { now[$0] == nil }.sorted { $0.column < $1.column }
                if let blocking = gained.first(where: { !others(than: key.id, unique: $0).isEmpty }) {
                    removals[key]?[index] = blocking
                } else {
                    removals[key] = rest
                    _ = follow(key)
                    isDone = false
                }
            }
            if isDone { return }
        }
    }

    /// Returns the refused changes, in the order of the push.
    private func removed() -> [(key: WorkingSet.Key, index: Int)] {
        removals.flatMap { key, removed in removed.keys.map { (key, $0) } }.sorted { $0.index < $1.index }
    }

    private func refusals() -> [Int: Rejection] {
        var refusals: [Int: Rejection] = [:]
        for (key, removed) in removals {
            for merged in changes[key] ?? [] {
                guard let unique = removed[merged.index] else { continue }
                let holder =
                    others(than: key.id, unique: unique).min()
                    ?? formerly[unique]?.filter { $0 != key.id }.min()
                refusals[merged.index] = rejection(of: merged.change, for: unique, holder)
            }
        }
        return refusals
    }

    private func rejection(of change: Change, for unique: UniqueValue, _ holder: ID?) -> Rejection {
        let name =
            change.projection.fields.first { $0.column == unique.column }?.name
            ?? rules.hub.entities[unique.entity].columns[unique.column].name
        let other = holder.map { " \($0)" } ?? ""
        return Rejection(
            code: .unique,
            detail: "\(change.projection.name)\(other) holds this \(name) already. Edit that one, or give "
                + "yours another.",
            holder: holder)
    }
}
