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

/// Finds changes that would give two living records of a space the same value of a unique attribute. It runs after the
/// push is merged and it is decided which records are alive.
///
/// A change is refused if it gives its record a value that another record has then. If two changes set the same value,
/// the later one is refused. So records may exchange values in one push, in any order.
///
/// Only new values are checked: those that a record gets by an edit, or by being created again. Other equal values
/// stay, such as those from before the plan declared the attribute unique, or those of records that are restored with a
/// parent. Records that were deleted with a parent have no values until they are restored.
///
/// If the push sets no unique value, no query is run; otherwise one query for each such attribute. If a change is
/// refused, the push is run again without it. Once is mostly enough, because `UniqueContest` computes all consequences
/// of a refusal.
struct UniqueHolders {
    let hub: Hub
    let tables: [RecordTable]
    let rules: UniqueContest.Rules
    let space: ID

    /// Returns the changes that must be refused.
    ///
    /// - Parameters:
    ///   - changes: the merged changes, with the stamps with which they were merged.
    ///   - work: the merged records, for which it is decided if they are alive.
    ///   - isFollowed: true if the records are written already, and their deletions have cascaded in the database.
    ///     Other records of the push may then be deleted, too.
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
    /// Returns the unique values that the change gives its record. They can be compared with stored values only if the
    /// change's version writes values as the tables store them.
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
