import PGStore
import WireFormats

/// Who holds the values of unique attributes (design, section 7): the later one to ask for a value that a living record
/// of the space holds is refused.
///
/// Looked at when a change takes a value or brings a record to life. What comes back to life with its parent keeps
/// what it held, and so do records that were equal before the plan called the attribute unique: nothing of them is
/// lost, and the next change of such a value is looked at.
struct UniqueHolders {
    private let hub: Hub
    private let readers: [[Projection]]
    private var holders: [Holding: Set<ID>] = [:]

    private struct Holding: Hashable {
        let entity: Int
        /// A place in `HubEntity.columns`.
        let column: Int
        let value: Value
    }

    /// - Parameter readers: all versions' views, by entity.
    init(hub: Hub, readers: [[Projection]]) {
        self.hub = hub
        self.readers = readers
    }

    /// Reads who holds what the changes may lead to. Asks nothing where no entity of theirs has unique attributes.
    mutating func lookUp(
        _ changes: [(index: Int, change: Change, stamp: Stamp)], _ clamped: [Stamp: Stamp], _ work: WorkingSet,
        _ tables: [RecordTable], _ space: ID, _ session: isolated Session
    ) throws {
        let found = holdings(after: changes, clamped, work)
        if found.isEmpty { return }
        let wanted = Dictionary(grouping: found) { Place(entity: $0.entity, column: $0.column) }
        let places = wanted.keys.sorted()
        let commands = places.map { place in
            tables[place.entity].selectingHolders(
                of: Set(wanted[place]!.map(\.value)),
                in: hub.entities[place.entity].uniqueColumns.firstIndex(of: place.column)!, space: space)
        }
        for (place, rows) in zip(places, try session.pipeline(commands)) {
            let type = hub.entities[place.entity].columns[place.column].type
            for row in 0..<rows.count {
                let holding = Holding(
                    entity: place.entity, column: place.column, value: rows.value(row, 1, as: type))
                holders[holding, default: []].insert(rows.id(row, 0))
            }
        }
    }

    private struct Place: Hashable, Comparable {
        let entity: Int
        let column: Int

        static func < (a: Place, b: Place) -> Bool { (a.entity, a.column) < (b.entity, b.column) }
    }

    /// What the records would hold after each of the changes, were none refused.
    private func holdings(
        after changes: [(index: Int, change: Change, stamp: Stamp)], _ clamped: [Stamp: Stamp], _ work: WorkingSet
    ) -> Set<Holding> {
        var states: [WorkingSet.Key: RecordState] = [:]
        var found: Set<Holding> = []
        for (_, change, sent) in changes where !hub.entities[change.projection.entity].uniqueColumns.isEmpty {
            let stamp = clamped[sent] ?? sent
            let key = change.key
            let entity = hub.entities[key.entity]
            // What a lens cannot translate leads to nothing.
            guard let state = try? state(after: change, at: stamp, of: states[key] ?? work.state(of: key), in: entity)
            else { continue }
            states[key] = state
            found.formUnion(holdings(of: state, in: entity))
        }
        return found
    }

    private func state(
        after change: Change, at stamp: Stamp, of known: RecordState?, in entity: HubEntity
    ) throws(LensFailure) -> RecordState {
        guard var state = known else { return try Merge.starting(change, at: stamp, in: entity) }
        _ = try Merge.apply(change, at: stamp, to: &state, in: entity, readers: readers[entity.index])
        return state
    }

    private func holdings(of state: RecordState?, in entity: HubEntity) -> Set<Holding> {
        guard let state, state.isAliveItself else { return [] }
        return Set(
            entity.uniqueColumns.lazy.filter { !state.values[$0].isNull }.map {
                Holding(entity: entity.index, column: $0, value: state.values[$0])
            })
    }

    /// Lets the record hold what it holds in `state`, and no longer what it held before; or says who holds it.
    mutating func take(_ state: RecordState, after before: RecordState?, by change: Change) -> Rejection? {
        let entity = hub.entities[change.projection.entity]
        if entity.uniqueColumns.isEmpty { return nil }
        let (had, has) = (holdings(of: before, in: entity), holdings(of: state, in: entity))
        for holding in has.subtracting(had) {
            guard let holder = holders[holding]?.filter({ $0 != state.id }).min() else { continue }
            let name =
                change.projection.fields.first { $0.column == holding.column }?.name
                ?? entity.columns[holding.column].name
            return Rejection(
                code: .unique,
                detail: "\(change.projection.name) \(holder) holds this \(name) already. Edit that one, or give "
                    + "yours another.", holder: holder)
        }
        for holding in had.subtracting(has) { holders[holding]?.remove(state.id) }
        for holding in has { holders[holding, default: []].insert(state.id) }
        return nil
    }
}
