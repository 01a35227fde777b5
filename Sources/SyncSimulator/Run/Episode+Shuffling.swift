import SyncModel
import WireFormats

/// A check that the order of arrival does not matter (promise P2). The same changes are pushed into several new spaces,
/// into each in another order. The result must be the same in every version.
extension Episode {
    private static let spacesCount = 2
    private static let changesMax = 200
    /// The maximum number of changes per push. It is below the smallest number of deletions that the server judges as a
    /// mass deletion.
    private static let changesPerPushMax = 15
    /// The maximum by which the stamp of a change in this check may be ahead of the start of the run, in milliseconds.
    /// It is small enough that the server replaces no stamp.
    private static let aheadMaxMilliseconds: Int64 = 200_000

    func shuffle(using random: inout SplitMix64) async throws {
        guard faults.contains(.order), let speaker = plan.shapes.indices.last(where: { isServed($0) }) else { return }
        let some = Array(shufflable.shuffled(using: &random).prefix(Episode.changesMax))
        // A record that nobody created has the defaults of the first version that named it.
        let created = Set(some.filter { $0.operation == .create }.map(\.key.id))
        // The outcome also depends on a creation's arriving together with the deletion that precedes it, or by itself.
        let deletions = some.filter { $0.operation == .delete }.map { ($0.key.id, $0.stamp) }
        let ended = Dictionary(deletions, uniquingKeysWith: min)
        let returning = Set(
            some.filter { $0.operation == .create && $0.stamp > ended[$0.key.id] ?? $0.stamp }.map(\.key.id))
        let changes = some.filter { created.contains($0.key.id) && !returning.contains($0.key.id) }
        let own = route
        defer { route = own }
        var ends: [Int: Store] = [:]
        for _ in 0..<Episode.spacesCount {
            let space = ID.random()
            route = Route(app: plan.app, space: space, token: try await site.grant(space, app: plan.app))
            var rest = changes.shuffled(using: &random)[...]
            while !rest.isEmpty {
                let next = Array(rest.prefix(1 + random.below(Episode.changesPerPushMax)))
                rest = rest.dropFirst(next.count)
                // Without a cursor, the device holds no record, so no edit is a repetition.
                let bytes = route.bytes(
                    SpaceAction.changes, header: vocabulary(speaker).header, device: space, cursor: nil, limit: nil,
                    body: body(next, cursor: nil, limit: nil))
                let reply = try answer(to: bytes)
                guard reply.status == 200 else { throw Breach("a push was answered \(reply)\n\(site.lastWords)") }
            }
            for version in plan.shapes.indices where isServed(version) {
                let end = try read(Observer(version: version), using: &random).store
                if let other = ends.updateValue(end, forKey: version) {
                    try expectEqual("\(plan.name(of: version)) in one order", other, "in another", end)
                }
            }
        }
    }

    /// The changes whose results do not depend on the order of arrival. Each is contained once, even if it was sent
    /// several times.
    ///
    /// These changes are left out:
    /// - changes without a stamp, and changes whose stamp the server would replace;
    /// - changes that the server may refuse because of other records;
    /// - changes that set an attribute which is a counter in another version;
    /// - changes of entities with attributes that are merged as one unit.
    ///
    /// In two cases, only the first of several changes of a record with equal stamps is contained:
    /// - The entity has attributes that are split into parts. The order of a third edit may then matter
    ///   (`docs/internals/rows.md`, *What depends on the order of arrival*).
    /// - The changes concern counters. A device can add to a counter only once with one stamp.
    private var shufflable: [Change] {
        var numbers: Set<Int> = []
        var stamps: [ID: Set<Stamp>] = [:]
        let editedAsOne = plan.columnsEditedAsOne
        return received.flatMap { $0.changes ?? [] }.filter { change in
            let entity = plan.projection(version: change.version, named: change.key.entity)?.entity
            guard change.isStamped, isServed(change.version), numbers.insert(change.number).inserted,
                change.stamp.milliseconds < start + Episode.aheadMaxMilliseconds,
                change.fields[Episode.unknownAttribute] == nil,
                refusal.map({ !$0.isEverMet(by: change) }) ?? true, let entity,
                !isContested(change, of: entity), editedAsOne[entity].isEmpty
            else { return false }
            let isAlone = stamps[change.key.id, default: []].insert(change.stamp).inserted
            return isAlone || plan.hub.entities[entity].unitsWithParts.isEmpty && !counts(change)
        }
    }

    /// Returns true if a change's result depends on the order in which other changes arrive.
    ///
    /// This is so if the server may refuse the change because of other records. It is also so if the change sets an
    /// attribute that is a counter in another version.
    ///
    /// - Parameter entity: the index of the change's entity in the hub (the structure of the server's tables).
    private func isContested(_ change: Change, of entity: Int) -> Bool {
        if saysKeys(change) { return true }
        if change.operation == .delete {
            return plan.hub.entities.contains { other in
                other.references.contains {
                    $0.keepsTarget && $0.target == entity || $0.isKeptByTarget && other.index == entity
                }
            }
        }
        guard let projection = plan.projection(version: change.version, named: change.key.entity) else { return true }
        let hub = plan.hub.entities[entity]
        let fields = vocabulary(change.version).entity(change.key.entity)?.fields ?? []
        let sets = fields.contains {
            $0.counts.somewhere && !$0.counts.here && change.operation == .update && change.fields[$0.name] != nil
        }
        return sets
            || projection.fields.contains {
                hub.uniqueColumns.contains($0.column) && change.fields[$0.name]?.isNull == false
            }
    }
}
