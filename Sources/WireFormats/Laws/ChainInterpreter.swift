/// The reference implementation of a plan, used only by tests and law checks. It has one copy of a record for each
/// shape (version or historical variant), and passes each edit on from shape to shape.
///
/// The compiled projections, which serve clients, must give the same results (law 5). The interpreter has none of their
/// structures, such as columns and merge units.
struct ChainInterpreter {
    let entity: ChainEntity
    let context: RecordContext
    /// By shape (version or historical variant): the record's values, in the order of the entity's fields; empty if the
    /// shape does not have the entity.
    private(set) var records: [[Value]]

    /// Creates the record as `version` does, with `edits`. Then computes its copies for all other versions, stage by
    /// stage.
    init(
        _ entity: ChainEntity, creating edits: [FieldEdit], by version: Int, in context: RecordContext
    ) throws(LensFailure) {
        self.entity = entity
        self.context = context
        records = entity.fields.map { $0.map { _ in .null } }
        records[version] = entity.fields[version].map { $0.default.value(for: $0.type, named: $0.name, in: context) }
        for edit in edits { records[version][edit.field] = edit.value }
        for hop in entity.tree.hops(from: version) {
            if hop.isUpward { try createNewer(hop.stage) } else { try createOlder(hop.stage) }
        }
    }

    /// Applies `edits` to `version`'s copy of the record. Then passes the changes on to the copies of all other
    /// versions, stage by stage.
    mutating func put(_ edits: [FieldEdit], by version: Int) throws(LensFailure) {
        let before = records
        for edit in edits { records[version][edit.field] = edit.value }
        for hop in entity.tree.hops(from: version) where !entity.stages[hop.stage].isEmpty {
            if hop.isUpward { try carryUp(hop.stage, since: before) } else { try carryDown(hop.stage, since: before) }
        }
    }

    private mutating func createNewer(_ stage: Int) throws(LensFailure) {
        let older = records[entity.tree.origin(of: stage)]
        try change(stage + 1, by: stage) { newer, steps, context throws(LensFailure) in
            for step in steps { try step.up(older, &newer, context) }
        }
    }

    private mutating func createOlder(_ stage: Int) throws(LensFailure) {
        let newer = records[stage + 1]
        try change(entity.tree.origin(of: stage), by: stage) { older, steps, context throws(LensFailure) in
            for step in steps where step.source == nil { try step.down(newer, &older, context) }
            // A substitute that is another attribute's value reads that attribute as the older version has it, so it
            // comes last.
            for step in steps {
                if let source = step.source { older[step.older[0]] = older[source] }
            }
        }
    }

    private mutating func carryUp(_ stage: Int, since before: [[Value]]) throws(LensFailure) {
        let origin = entity.tree.origin(of: stage)
        let (now, then) = (records[origin], before[origin])
        guard now != then else { return }
        try change(stage + 1, by: stage) { newer, steps, context throws(LensFailure) in
            for step in steps where step.older.contains(where: { now[$0] != then[$0] }) {
                try step.up(now, &newer, context)
            }
        }
    }

    private mutating func carryDown(_ stage: Int, since before: [[Value]]) throws(LensFailure) {
        let (now, then) = (records[stage + 1], before[stage + 1])
        guard now != then else { return }
        try change(entity.tree.origin(of: stage), by: stage) { older, steps, context throws(LensFailure) in
            for step in steps where step.newer.contains(where: { now[$0] != then[$0] }) {
                try step.down(now, &older, context)
            }
        }
    }

    /// Calls `body` with the record's values in `version`, the operations of `stage`, and the record's context.
    /// Meanwhile the values are moved out of `records`, so that `body` changes them without a copy of the array.
    private mutating func change(
        _ version: Int, by stage: Int,
        _ body: (inout [Value], [ChainEntity.Step], RecordContext) throws(LensFailure) -> Void
    ) throws(LensFailure) {
        var values: [Value] = []
        swap(&values, &records[version])
        defer { swap(&values, &records[version]) }
        try body(&values, entity.stages[stage], context)
    }
}

extension ChainEntity.Step {
    fileprivate func up(_ older: [Value], _ newer: inout [Value], _ context: RecordContext) throws(LensFailure) {
        if isCopy {
            newer[self.newer[0]] = older[self.older[0]]
            return
        }
        let values = try operation.up(self.older.map { older[$0] }, in: context)
        for (index, value) in zip(self.newer, values) { newer[index] = value }
    }

    fileprivate func down(_ newer: [Value], _ older: inout [Value], _ context: RecordContext) throws(LensFailure) {
        if isCopy {
            older[self.older[0]] = newer[self.newer[0]]
            return
        }
        let values = try operation.down(self.newer.map { newer[$0] }, in: context)
        for (index, value) in zip(self.older, values) { older[index] = value }
    }
}
