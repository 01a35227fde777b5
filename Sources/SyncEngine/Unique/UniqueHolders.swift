import PGStore
import Postgres
import WireFormats

/// A value that at most one record may hold.
struct UniqueValue: Hashable {
    let entity: Int
    /// A place in `HubEntity.columns`.
    let column: Int
    let value: Value
}

/// Who holds the values of unique attributes: no two living records of a space hold the same one, once a push is merged
/// and it is settled who lives. Of those that ask for a value in a push which another holds then, the later is refused;
/// so records may exchange values in one push, in any order.
///
/// Asking is to hold a value at the end that one did not hold before: by an edit, or by coming to life. What comes back
/// to life with its parent keeps what it held, and so do records that were equal before the plan called the attribute
/// unique: nothing of them is lost, and the next change of such a value is looked at. Records that went with a parent
/// hold nothing until they are back.
///
/// Costs nothing where no entity has unique attributes, and a query for each of them where something is asked for.
/// Where something is refused, the push is run again without it, once as a rule, because all that follows from a
/// refusal is worked out here (`UniqueContest`).
struct UniqueHolders {
    let hub: Hub
    let tables: [RecordTable]
    let rules: UniqueContest.Rules
    let space: ID

    /// The changes that must be refused.
    ///
    /// - Parameters:
    ///   - changes: what was merged, with the stamps that count.
    ///   - work: what came of it, with lives settled.
    ///   - isFollowed: whether it was written and what died was followed, so that others in it may have gone, too.
    func refusals(
        of changes: [(index: Int, change: Change, stamp: Stamp)], _ work: WorkingSet, isFollowed: Bool,
        _ session: isolated Session
    ) throws -> [Int: Rejection] {
        var asking = Set(work.indices.lazy.filter { asks(work[$0]) }.map { work[$0].key })
        if asking.isEmpty { return [:] }
        let gone = isFollowed ? try lookUpGone(work, session) : []
        asking.subtract(gone)
        if asking.isEmpty { return [:] }
        let outside = try lookUp(wanted(by: asking, changes, work), work, session)
        var contest = UniqueContest(rules: rules, changes, work, gone: gone, outside: outside)
        return contest.resolve(asking)
    }

    /// The push's records that went with others that are not in it.
    private func lookUpGone(_ work: WorkingSet, _ session: isolated Session) throws -> Set<WorkingSet.Key> {
        let entities = work.entities.filter { !hub.entities[$0].uniqueColumns.isEmpty }
        let commands = entities.map { entity in
            tables[entity].selectingLives(
                work.places(of: entity).filter { work[$0].state.isAlive }.map { work[$0].key.id }, in: space)
        }
        var gone: Set<WorkingSet.Key> = []
        for (entity, rows) in zip(entities, try session.pipeline(commands)) {
            for life in RecordLife.all(rows) where !life.isAlive {
                gone.insert(WorkingSet.Key(entity: entity, id: life.id))
            }
        }
        return gone
    }

    /// Whether the record holds a unique value that it did not hold before.
    private func asks(_ entry: WorkingSet.Entry) -> Bool {
        let (state, before) = (entry.state, entry.before)
        guard state.isAlive else { return false }
        let wasAlive = before?.isAliveItself ?? false
        return hub.entities[entry.key.entity].uniqueColumns.contains {
            !state.values[$0].isNull && !(wasAlive && before?.values[$0] == state.values[$0])
        }
    }

    /// What they hold, and what they would hold if some of their changes were refused.
    private func wanted(
        by asking: Set<WorkingSet.Key>, _ changes: [(index: Int, change: Change, stamp: Stamp)], _ work: WorkingSet
    ) -> Set<UniqueValue> {
        var wanted: Set<UniqueValue> = []
        for key in asking {
            if let state = work.state(of: key) { wanted.formUnion(hub.entities[key.entity].uniqueValues(of: state)) }
        }
        for (_, change, _) in changes where asking.contains(change.key) {
            wanted.formUnion(change.uniqueValues(in: hub.entities[change.key.entity]))
        }
        return wanted
    }

    /// Who holds these outside of the push. Of the push's own records the database says what was before.
    private func lookUp(
        _ wanted: Set<UniqueValue>, _ work: WorkingSet, _ session: isolated Session
    ) throws -> [UniqueValue: Set<ID>] {
        let values = Dictionary(grouping: wanted) { Place(entity: $0.entity, column: $0.column) }
        let places = values.keys.sorted()
        let commands = places.map { place in
            tables[place.entity].selectingHolders(
                of: Set(values[place]!.map(\.value)),
                in: hub.entities[place.entity].uniqueColumns.firstIndex(of: place.column)!, space: space)
        }
        var holders: [UniqueValue: Set<ID>] = [:]
        for (place, rows) in zip(places, try session.pipeline(commands)) {
            let type = hub.entities[place.entity].columns[place.column].type
            for row in 0..<rows.count {
                let id = rows.id(row, 0)
                if work.contains(WorkingSet.Key(entity: place.entity, id: id)) { continue }
                let unique = UniqueValue(
                    entity: place.entity, column: place.column, value: rows.value(row, 1, as: type) ?? .null)
                holders[unique, default: []].insert(id)
            }
        }
        return holders
    }

    private struct Place: Hashable, Comparable {
        let entity: Int
        let column: Int

        static func < (a: Place, b: Place) -> Bool { (a.entity, a.column) < (b.entity, b.column) }
    }
}

extension HubEntity {
    /// The unique values that a record has, which it holds while it lives.
    func uniqueValues(of state: RecordState) -> Set<UniqueValue> {
        Set(
            uniqueColumns.lazy.filter { !state.values[$0].isNull }.map {
                UniqueValue(entity: self.index, column: $0, value: state.values[$0])
            })
    }
}

extension Change {
    /// The unique values that it gives its record, as far as its version writes them as the tables keep them.
    func uniqueValues(in entity: HubEntity) -> [UniqueValue] {
        edits.compactMap { edit in
            let column = projection.fields[edit.field].column
            guard entity.uniqueColumns.contains(column), !edit.value.isNull else { return nil }
            return UniqueValue(entity: entity.index, column: column, value: edit.value)
        }
    }

    /// Whether it may give its record a unique value, or bring one to life that has some.
    func mayAsk(in entity: HubEntity) -> Bool {
        if operation == .create { return true }
        let units = Set(entity.uniqueColumns.map { entity.unitOfColumn[$0] })
        return edits.contains { units.contains(projection.fields[$0.field].unit) }
    }
}
