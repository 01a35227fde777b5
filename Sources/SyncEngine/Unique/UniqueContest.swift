import WireFormats

/// Which changes of a push cannot be, for the unique values that their records would hold at its end.
///
/// Worked out in memory: without a change its record holds again what it held before, so those that ask for that cannot
/// have it either. Who meets somebody that asked for nothing is refused first, and among those that ask the later.
///
/// Each refusal merges the changes of one record once more. At worst that is `removalsMax` times the push, and twice as
/// much again: a record that loses more than that loses all that asks for anything.
struct UniqueContest {
    /// What the outcome follows from, besides the push.
    struct Rules {
        let hub: Hub
        /// All versions' views, by entity.
        let readers: [[Projection]]
        let mode: ChangeMode
        /// Whether the push has been run again so often that now everything is refused which asks for what another has,
        /// or had before: after that, nobody can meet anybody.
        let isLastResort: Bool
    }

    /// How many changes of one record are judged by themselves.
    static let removalsMax = 8
    /// How often a push is run again for what was found here before it is cut short. What is not foreseen here is what
    /// a refusal does to lives and counters; an honest push needs a second run at most.
    static let roundsMax = 8

    private let rules: Rules
    private let outside: [UniqueValue: Set<ID>]
    private let gone: Set<WorkingSet.Key>
    /// Records of the push that hold a value at its end, and that held it before.
    private var inside: [UniqueValue: Set<ID>] = [:]
    private var formerly: [UniqueValue: Set<ID>] = [:]
    private var entries: [WorkingSet.Key: WorkingSet.Entry] = [:]
    private var changes: [WorkingSet.Key: [Merged]] = [:]
    /// As they stand without the changes that were removed; worked out when they are asked about.
    private var stands: [WorkingSet.Key: Stand] = [:]
    private var removals: [WorkingSet.Key: [Int: UniqueValue]] = [:]

    private struct Merged {
        let index: Int
        let change: Change
        let stamp: Stamp
    }

    /// What a record holds at the end, each with the place of the change since which it does; -1 for before the push.
    private typealias Stand = [UniqueValue: Int]

    /// - Parameters:
    ///   - gone: records of the push that went with others outside of it.
    ///   - outside: who holds what of the records that the push does not touch.
    init(
        rules: Rules, _ changes: [(index: Int, change: Change, stamp: Stamp)], _ work: WorkingSet,
        gone: Set<WorkingSet.Key>, outside: [UniqueValue: Set<ID>]
    ) {
        self.rules = rules
        self.outside = outside
        self.gone = gone
        for place in work.indices where !rules.hub.entities[work[place].key.entity].uniqueColumns.isEmpty {
            let (entry, entity) = (work[place], rules.hub.entities[work[place].key.entity])
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

    /// - Parameter asking: the records that hold what they did not hold before.
    /// - Returns: why each change is refused, by place in the request.
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
                // Others that were dismissed meanwhile may have changed that.
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

    /// Those of the push that ask for a value, the first first.
    private mutating func askers(for unique: UniqueValue) -> [(key: WorkingSet.Key, since: Int)] {
        var askers: [(key: WorkingSet.Key, since: Int)] = []
        for id in inside[unique] ?? [] {
            let key = WorkingSet.Key(entity: unique.entity, id: id)
            if let since = stand(of: key)[unique], since >= 0 { askers.append((key, since)) }
        }
        return askers.sorted { $0.since < $1.since }
    }

    /// Removes what asks for a value that somebody has who asked for nothing, and what follows from that.
    ///
    /// - Returns: the values for which only askers meet, with the place of the second.
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

    /// - Returns: what its record holds now that it did not hold with the change.
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

    /// Lets a record stand as it does without what was removed of it.
    private mutating func follow(_ key: WorkingSet.Key) -> Set<UniqueValue> {
        let (was, now) = (stand(of: key), merged(key, without: removals[key] ?? [:]))
        stands[key] = now
        for unique in was.keys where now[unique] == nil { inside[unique]?.remove(key.id) }
        let gained = Set(now.keys.filter { was[$0] == nil })
        for unique in gained { inside[unique, default: []].insert(key.id) }
        // One that is held since another change than before is met anew.
        return gained.union(now.keys.filter { was[$0] != now[$0] })
    }

    private mutating func stand(of key: WorkingSet.Key) -> Stand {
        if let known = stands[key] { return known }
        let found = merged(key, without: [:])
        stands[key] = found
        return found
    }

    /// Merges a record's changes once more. Where it belongs elsewhere without some of them, and nobody has looked at
    /// how that lives, it counts as if it went with it: if that is wrong, the next run shows it.
    private func merged(_ key: WorkingSet.Key, without removed: [Int: UniqueValue]) -> Stand {
        guard let entry = entries[key] else { return [:] }
        let entity = rules.hub.entities[key.entity]
        var state = entry.before
        var stand: Stand = [:]
        if let state, state.isAliveItself {
            for unique in entity.uniqueValues(of: state) { stand[unique] = -1 }
        }
        for merged in changes[key] ?? [] where removed[merged.index] == nil {
            // What a lens cannot translate leads to nothing.
            guard let next = try? self.state(after: merged, of: state, in: entity) else { continue }
            state = next
            guard next.isAliveItself else {
                stand = [:]
                continue
            }
            let uniqueValues = entity.uniqueValues(of: next)
            stand = stand.filter { uniqueValues.contains($0.key) }
            for unique in uniqueValues where stand[unique] == nil { stand[unique] = merged.index }
        }
        return state.map { exists($0, in: entry, of: entity) } ?? false ? stand : [:]
    }

    /// Whether a record that is alive itself exists, by what is known of what it belongs to.
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
        guard var state = known else { return try Merge.starting(merged.change, at: merged.stamp, in: entity) }
        let news = rules.mode == .whole ? merged.change.withoutEchoes(of: state, in: entity) : merged.change
        let stamp = Clamps().stamp(of: merged.change, sent: merged.stamp, on: state)
        // Whether its device repeats something makes no other value of it.
        _ = try Merge.apply(
            news, at: stamp, to: &state, in: entity, readers: rules.readers[entity.index], read: nil)
        return state
    }

    /// Takes back what was removed for somebody who does not have it in the end.
    private mutating func readmit() {
        for _ in 0..<UniqueContest.removalsMax {
            var isDone = true
            for (key, index) in removed() {
                guard let all = removals[key], all.count <= UniqueContest.removalsMax else { continue }
                var rest = all
                rest[index] = nil
                let (now, then) = (stand(of: key), merged(key, without: rest))
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

    /// What was removed, in the order of the push.
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
