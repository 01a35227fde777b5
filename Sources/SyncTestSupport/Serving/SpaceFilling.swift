package import WireFormats

/// Changes that fill a space with what a plan allows: records of every entity that a version syncs, hostile values,
/// references to each other, and deletions.
package struct SpaceFilling: Sendable {
    private let plan: Plan
    private let idsByEntity: [Int: [ID]]
    private let spared: Int

    /// - Parameters:
    ///   - recordsPerEntity: but one of a singleton.
    ///   - spared: how many records of each entity, but of a singleton, outlive `deletions`: none is deleted, and none
    ///     refers to one that may be, which would take it along.
    package init(_ plan: Plan, recordsPerEntity: Int, spared: Int = 0, using random: inout SplitMix64) {
        self.plan = plan
        self.spared = spared
        var ids: [Int: [ID]] = [:]
        for (entity, hub) in plan.hub.entities.enumerated() {
            ids[entity] = hub.singleton.map { [$0] } ?? (0..<recordsPerEntity).map { _ in .random(using: &random) }
        }
        idsByEntity = ids
    }

    /// What a device of `version`, a place in the plan's `schemas`, creates: whole records, of which another version
    /// may have created some before.
    ///
    /// - Parameter first: the moment of the first change; each is a millisecond later.
    package func creations(in version: Int, from first: Int64, using random: inout SplitMix64) -> [JSONValue] {
        var changes: [JSONValue] = []
        for projection in plan.projections[version].compactMap({ $0 }) {
            guard let generator = RecordGenerator(plan, of: projection.name, in: version) else { continue }
            let spared = spared(of: projection.entity)
            for id in idsByEntity[projection.entity] ?? [] {
                var fields: [String: JSONValue] = [:]
                for (place, field) in projection.fields.enumerated() {
                    let target = plan.hub.entities[projection.entity].references
                        .first { $0.column == field.column }?.target
                    fields[field.name] = JSONValue(
                        target.map { reference(to: $0, sparedOnly: spared.contains(id), using: &random) }
                            ?? generator.value(place, using: &random))
                }
                changes.append(.create(projection.name, id, fields, at: moment(first + Int64(changes.count))))
            }
        }
        return changes
    }

    /// The deletion of one record in four, but of those that are spared.
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
