import PGStore
import WireFormats

/// What the births and deaths of a push mean for records that it does not name: references that now read as null or as
/// their target again, and records that go with what died. Set by set in SQL, so that a cascade costs by its size only.
struct Consequences {
    private let hub: Hub
    private let tables: [RecordTable]
    private let space: ID
    /// By entity.
    private var died: [Int: Set<ID>] = [:]
    private var arrived: [Int: Set<ID>] = [:]

    init(hub: Hub, tables: [RecordTable], space: ID, of work: WorkingSet) {
        self.hub = hub
        self.tables = tables
        self.space = space
        for key in work.order {
            guard let entry = work[key], concernsOthers(key.entity) else { continue }
            if entry.state.isAlive, !entry.wasAlive {
                arrived[key.entity, default: []].insert(key.id)
            } else if !entry.state.isAlive,
                entry.wasAlive || entry.before == nil || entry.refersElsewhere(hub.entities[key.entity])
            {
                died[key.entity, default: []].insert(key.id)
            }
        }
    }

    var isEmpty: Bool { died.isEmpty && arrived.isEmpty }

    /// Follows all of it to the end and returns the head behind the last number given. Each death happens once, so
    /// cycles end.
    func run(from head: Int64, _ session: isolated Session) throws -> Int64 {
        var head = head
        for (entity, ids) in arrived.sorted(by: { $0.key < $1.key }) {
            for (referrer, reference) in hub.referrers(of: entity) {
                let rows = try session.execute(
                    tables[referrer].regaining(ids, by: reference, in: space, head: head))
                head += rows.livingCount
            }
        }
        var frontier = PlantedBug.deleteRuleSkipped.isPlanted ? [:] : died
        while !frontier.isEmpty {
            var next: [Int: Set<ID>] = [:]
            for (entity, ids) in frontier.sorted(by: { $0.key < $1.key }) {
                try bury(ids, of: entity, &head, &next, session)
            }
            frontier = next
        }
        return head
    }

    private func bury(
        _ ids: Set<ID>, of entity: Int, _ head: inout Int64, _ next: inout [Int: Set<ID>], _ session: isolated Session
    ) throws {
        for (referrer, reference) in hub.referrers(of: entity) {
            let rows = try session.execute(tables[referrer].losing(ids, by: reference, in: space, head: head))
            head += rows.livingCount
            guard hub.entities[referrer].references[reference].diesWithTarget else { continue }
            for row in 0..<rows.count where rows.bool(row, 1) {
                if concernsOthers(referrer) { next[referrer, default: []].insert(rows.id(row, 0)) }
            }
        }
        let along = hub.entities[entity].references.filter(\.takesTargetAlong)
        if along.isEmpty { return }
        let states = try session.execute(tables[entity].selecting(ids, in: space))
        for reference in along {
            var targets: Set<ID> = []
            for row in 0..<states.count {
                let state = tables[entity].state(states, row)
                if case .uuid(let id) = state.values[reference.column] { targets.insert(id) }
            }
            if targets.isEmpty { continue }
            let buried = try session.execute(tables[reference.target].burying(targets, in: space, head: head))
            head += Int64(buried.count)
            for row in 0..<buried.count { next[reference.target, default: []].insert(buried.id(row, 0)) }
        }
    }

    /// Whether the life of this entity's records matters to any other record.
    private func concernsOthers(_ entity: Int) -> Bool {
        !hub.referrers(of: entity).isEmpty || hub.entities[entity].references.contains(where: \.takesTargetAlong)
    }
}

extension Rows {
    /// Of what a change of referrers returned: how many were alive, and so were given a number.
    fileprivate var livingCount: Int64 {
        Int64((0..<count).count { bool($0, 1) })
    }
}

extension WorkingSet.Entry {
    /// Whether a reference that takes its target along has another one than before.
    fileprivate func refersElsewhere(_ entity: HubEntity) -> Bool {
        entity.references.contains { $0.takesTargetAlong && before?.values[$0.column] != state.values[$0.column] }
    }
}
