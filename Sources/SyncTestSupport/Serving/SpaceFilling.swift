package import WireFormats

/// A generator of changes that fill a space, within the limits of a plan: records of every entity that a version syncs,
/// extreme values, references between records, and deletions.
package struct SpaceFilling: Sendable {
    private let plan: Plan
    private let idsByEntity: [Int: [ID]]
    private let spared: Int

    /// Makes a generator, and draws the ids of its records.
    ///
    /// - Parameters:
    ///   - recordsPerEntity: the number of records of each entity; a singleton has one.
    ///   - spared: the number of records of each entity that are spared: `deletions` does not delete them, and they
    ///     refer only to spared records, because the deletion of another record could delete them, too. A singleton is
    ///     never spared.
    package init(_ plan: Plan, recordsPerEntity: Int, spared: Int = 0, using random: inout SplitMix64) {
        self.plan = plan
        self.spared = spared
        var ids: [Int: [ID]] = [:]
        for (entity, hub) in plan.hub.entities.enumerated() {
            ids[entity] = hub.singleton.map { [$0] } ?? (0..<recordsPerEntity).map { _ in .random(using: &random) }
        }
        idsByEntity = ids
    }

    /// Returns changes that create every generated record whose entity exists in a version, with all attributes.
    ///
    /// It may be called for several versions. A record that another version has already created is created again.
    ///
    /// - Parameters:
    ///   - version: the version in which the changes are written, as an index in the plan's `schemas`.
    ///   - first: the time of the first change, in milliseconds since the start that `moment` uses. Each further change
    ///     is one millisecond later.
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

    /// Returns changes that delete about one record in four. Spared records, whose number was given to the initializer,
    /// are not deleted.
    ///
    /// - Parameters:
    ///   - version: the version in which the changes are written, as an index in the plan's `schemas`.
    ///   - first: the time of the first change, in milliseconds since the start that `moment` uses. Each further change
    ///     is one millisecond later.
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
