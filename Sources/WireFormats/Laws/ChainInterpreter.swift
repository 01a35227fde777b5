/// The meaning of a plan in the plainest form: one record for each shape, and edits that walk from neighbour to
/// neighbour through the stages' operations.
///
/// What the compiled projections must agree with (law 5). It knows nothing of columns, units or links, and is never
/// used to serve a client.
struct ChainInterpreter {
    let entity: ChainEntity
    let context: RecordContext
    /// By shape; empty where the shape does not have the entity. Values in the order of the entity's fields.
    private(set) var records: [[Value]]

    /// A record that `version` creates with `edits`; its neighbours follow stage by stage.
    init(_ entity: ChainEntity, creating edits: [FieldEdit], by version: Int, in context: RecordContext) {
        self.entity = entity
        self.context = context
        records = entity.fields.map { $0.map { _ in .null } }
        records[version] = entity.fields[version].map { $0.default.value(for: $0.type, named: $0.name, in: context) }
        for edit in edits { records[version][edit.field] = edit.value }
        for hop in entity.tree.walk(from: version) {
            if hop.isUpward { createNewer(hop.stage) } else { createOlder(hop.stage) }
        }
    }

    /// An edit that `version` makes, and what its neighbours make of it.
    mutating func put(_ edits: [FieldEdit], by version: Int) {
        let before = records
        for edit in edits { records[version][edit.field] = edit.value }
        for hop in entity.tree.walk(from: version) where !entity.stages[hop.stage].isEmpty {
            if hop.isUpward { carryUp(hop.stage, since: before) } else { carryDown(hop.stage, since: before) }
        }
    }

    private mutating func createNewer(_ stage: Int) {
        let (older, newer) = (entity.tree.origin(of: stage), stage + 1)
        for step in entity.stages[stage] {
            let values = step.operation.up(step.older.map { records[older][$0] }, in: context)
            for (place, value) in zip(step.newer, values) { records[newer][place] = value }
        }
    }

    private mutating func createOlder(_ stage: Int) {
        let (older, newer) = (entity.tree.origin(of: stage), stage + 1)
        for step in entity.stages[stage] where step.source == nil {
            let values = step.operation.down(step.newer.map { records[newer][$0] }, in: context)
            for (place, value) in zip(step.older, values) { records[older][place] = value }
        }
        // A substitute that is another attribute's value reads it as the older version has it, so it comes last.
        for step in entity.stages[stage] {
            if let source = step.source { records[older][step.older[0]] = records[older][source] }
        }
    }

    private mutating func carryUp(_ stage: Int, since before: [[Value]]) {
        let (older, newer) = (entity.tree.origin(of: stage), stage + 1)
        guard records[older] != before[older] else { return }
        for step in entity.stages[stage] {
            guard step.older.contains(where: { records[older][$0] != before[older][$0] }) else { continue }
            let values = step.operation.up(step.older.map { records[older][$0] }, in: context)
            for (place, value) in zip(step.newer, values) { records[newer][place] = value }
        }
    }

    private mutating func carryDown(_ stage: Int, since before: [[Value]]) {
        let (older, newer) = (entity.tree.origin(of: stage), stage + 1)
        guard records[newer] != before[newer] else { return }
        for step in entity.stages[stage] {
            guard step.newer.contains(where: { records[newer][$0] != before[newer][$0] }) else { continue }
            let values = step.operation.down(step.newer.map { records[newer][$0] }, in: context)
            for (place, value) in zip(step.older, values) { records[older][place] = value }
        }
    }
}
