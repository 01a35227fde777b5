package import WireFormats

/// Changes that fill a space within the limits of a plan: records of every entity that a version syncs, extreme values,
/// references to each other, and deletions.
package struct SpaceFilling: Sendable {
    private let plan: Plan
    private let idsByEntity: [Int: [ID]]
    private let spared: Int

    /// Draws the ids of the records.
    ///
    /// - Parameters:
    ///   - recordsPerEntity: the number of records of each entity; a singleton has one.
    ///   - spared: the number of records of each entity that survive `deletions`; none of a singleton. A spared record
    ///     is not deleted, and refers to no record that may be deleted, because that could delete it, too.
    package init(_ plan: Plan, recordsPerEntity: Int, spared: Int = 0, using random: inout SplitMix64) {
        self.plan = plan
        self.spared = spared
        var ids: [Int: [ID]] = [:]
        for (entity, hub) in plan.hub.entities.enumerated() {
            ids[entity] = hub.singleton.map { [$0] } ?? (0..<recordsPerEntity).map { _ in .random(using: &random) }
        }
        idsByEntity = ids
    }

    /// Returns creations by a device of `version`, an index into the plan's `schemas`. Each has a whole record. Another
    /// version may have created some of the records before.
    ///
    /// - Parameter first: the moment of the first change in milliseconds; each further change is a millisecond later.
    package func creations(in version: Int, from first: Int64, using random: inout SplitMix64) -> [JSONValue] {
        var changes: [JSONValue] = []
        for projection in plan.projections[version].compactMap({ $0 }) {
            guard let generator = RecordGenerator(plan, of: projection.name, in: version) else { continue }
            let spared = spared(of: projection.entity)
            for id in idsByEntity[projection.entity] ?? [] {
                var fields: [String: JSONValue] = [:]
                for (index, field) in projection.fields.enumerated() {
                    let target = plan.hub.entities[projection.entity].references
                        .first { $0.column == field.column }?.target
                    fields[field.name] = JSONValue(
                        target.map { reference(to: $0, sparedOnly: spared.contains(id), using: &random) }
                            ?? generator.value(index, using: &random))
                }
                changes.append(.create(projection.name, id, fields, at: moment(first + Int64(changes.count))))
            }
        }
        return changes
    }

    /// Returns deletions of one record in four; spared records are not among them.
    package func deletions(in version: Int, from first: Int64, using random: inout SplitMix64) -> [JSONValue] {
        var changes: [JSONValue] = []
        for projection in plan.projections[version].compactMap({ $0 }) {
            let spared = spared(of: projection.entity)
            for id in (idsByEntity[projection.entity] ?? []).dropFirst(spared.count) where random.next() & 3 == 0 {
                changes.append(.delete(projection.name, id, at: moment(first + Int64(changes.count))))
            }
        }
        return changes
    }

    private func reference(to entity: Int, sparedOnly: Bool, using random: inout SplitMix64) -> WireFormats.Value {
        let ids = sparedOnly ? spared(of: entity) : (idsByEntity[entity] ?? [])[...]
        guard !ids.isEmpty, random.next() & 3 != 0 else { return .null }
        return .uuid(ids[Int(random.next() % UInt64(ids.count))])
    }

    private func spared(of entity: Int) -> ArraySlice<ID> {
        plan.hub.entities[entity].singleton == nil ? (idsByEntity[entity] ?? []).prefix(spared) : []
    }
}
