import PGStore
import Postgres
import WireFormats

/// A value of a unique attribute, which at most one living record of a space may have.
struct UniqueValue: Hashable {
    let entity: Int
    /// The column of the attribute, as an index in `HubEntity.columns`.
    let column: Int
    let value: Value
}

/// Finds changes that would give two living records of a space the same value of a unique attribute. It runs after a
/// push is merged and it is decided which records are alive. A change is refused if it asks for a value that another
/// record has at that point. If two changes ask for the same value, the later one is refused. So records may exchange
/// values in one push, in any order.
///
/// A record asks for a value if it has the value at the end and did not have it before: by an edit, or by becoming
/// alive. A record that becomes alive again with its parent keeps its values. So do records that had equal values
/// before the plan declared the attribute unique: none of their values is lost, and the next change of such a value is
/// checked. Records that were deleted with a parent have no values until they are restored.
///
/// There is no cost if no entity has unique attributes, and one query for each such attribute for which the push asks
/// for a value. If a change is refused, the push is run again without it, as a rule once, because `UniqueContest`
/// computes all consequences of a refusal.
struct UniqueHolders {
    let hub: Hub
    let tables: [RecordTable]
    let rules: UniqueContest.Rules
    let space: ID

    /// Returns the changes that must be refused.
    ///
    /// - Parameters:
    ///   - changes: the merged changes, with the stamps with which they were merged.
    ///   - work: the merged records, with liveness settled.
    ///   - isFollowed: true if the records were written and deletions were followed, so that other records of the push
    ///     may be deleted, too.
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

    /// Returns the records of the push that were deleted by a cascade from records outside of the push.
    private func lookUpGone(_ work: WorkingSet, _ session: isolated Session) throws -> Set<WorkingSet.Key> {
        let entities = work.entities.filter { !hub.entities[$0].uniqueColumns.isEmpty }
        let commands = entities.map { entity in
            tables[entity].selectingLiveness(
                work.slots(of: entity).filter { work[$0].state.isAlive }.map { work[$0].key.id }, in: space)
        }
        var gone: Set<WorkingSet.Key> = []
        for (entity, rows) in zip(entities, try session.pipeline(commands)) {
            for record in RecordLiveness.all(rows) where !record.isAlive {
                gone.insert(WorkingSet.Key(entity: entity, id: record.id))
            }
        }
        return gone
    }

    /// Returns true if the record has a unique value that it did not have before the push.
    private func asks(_ entry: WorkingSet.Entry) -> Bool {
        let (state, before) = (entry.state, entry.before)
        guard state.isAlive else { return false }
        let wasAlive = before?.isAliveItself ?? false
        return hub.entities[entry.key.entity].uniqueColumns.contains {
            !state.values[$0].isNull && !(wasAlive && before?.values[$0] == state.values[$0])
        }
    }

    /// Returns the unique values of the records in `asking`, and those that they would have if some of their changes
    /// were refused.
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

    /// Returns the records outside of the push that have these values. The push's own records are left out, because the
    /// database has only their earlier values.
    private func lookUp(
        _ wanted: Set<UniqueValue>, _ work: WorkingSet, _ session: isolated Session
    ) throws -> [UniqueValue: Set<ID>] {
        let values = Dictionary(grouping: wanted) { ColumnKey(entity: $0.entity, column: $0.column) }
        let columns = values.keys.sorted()
        let commands = columns.map { column in
            tables[column.entity].selectingHolders(
                of: Set(values[column]!.map(\.value)),
                in: hub.entities[column.entity].uniqueColumns.firstIndex(of: column.column)!, space: space)
        }
        var holders: [UniqueValue: Set<ID>] = [:]
        for (column, rows) in zip(columns, try session.pipeline(commands)) {
            let type = hub.entities[column.entity].columns[column.column].type
            for row in 0..<rows.count {
                let id = rows.id(row, 0)
                if work.contains(WorkingSet.Key(entity: column.entity, id: id)) { continue }
                let unique = UniqueValue(
                    entity: column.entity, column: column.column, value: rows.value(row, 1, as: type) ?? .null)
                holders[unique, default: []].insert(id)
            }
        }
        return holders
    }

    private struct ColumnKey: Hashable, Comparable {
        let entity: Int
        let column: Int

        static func < (a: ColumnKey, b: ColumnKey) -> Bool { (a.entity, a.column) < (b.entity, b.column) }
    }
}

extension HubEntity {
    /// Returns the unique values of a record. They block other records only while it is alive.
    func uniqueValues(of state: RecordState) -> Set<UniqueValue> {
        Set(
            uniqueColumns.lazy.filter { !state.values[$0].isNull }.map {
                UniqueValue(entity: self.index, column: $0, value: state.values[$0])
            })
    }
}

extension Change {
    /// Returns the unique values that the change gives its record. They are right only if its version writes the values
    /// in the form in which the tables store them.
    func uniqueValues(in entity: HubEntity) -> [UniqueValue] {
        edits.compactMap { edit in
            let column = projection.fields[edit.field].column
            guard entity.uniqueColumns.contains(column), !edit.value.isNull else { return nil }
            return UniqueValue(entity: entity.index, column: column, value: edit.value)
        }
    }

    /// Returns true if the change may give its record a unique value, or make a record alive that has one.
    func mayAsk(in entity: HubEntity) -> Bool {
        if operation == .create { return true }
        let units = Set(entity.uniqueColumns.map { entity.unitOfColumn[$0] })
        return edits.contains { units.contains(projection.fields[$0.field].unit) }
    }
}
