/// The differences between two versions of a plan, neighbouring or not. Entities and attributes are matched by
/// identity, not by name, so a renamed one is one difference, not a removal and an addition.
package struct SchemaDifference: Sendable {
    package let from: ShapeName
    package let to: ShapeName
    /// The entities that differ, and no others.
    package let entities: [Entity]

    /// An entity that differs between the two versions, or that only one of them has.
    package struct Entity: Sendable {
        /// The entity's name in the first of the two versions; `nil` if that version does not have the entity.
        package let before: String?
        package let after: String?
        package let scope: Schema.Scope
        package let members: [Member]
    }

    /// One difference between two versions in an entity's attributes and relationships. `before` is empty for an
    /// addition, and `after` for a removal. Both may have several elements if a conversion splits or merges attributes.
    package struct Member: Hashable, Sendable {
        package let before: [SchemaMember]
        package let after: [SchemaMember]
        /// The relationship's delete rules in all versions, if the two compared versions differ in the rule; otherwise
        /// empty. When a record is deleted, clients of a version apply the version's rule on their devices.
        package let deleteRules: [DeleteRuleSpan]

        init(before: [SchemaMember], after: [SchemaMember], deleteRules: [DeleteRuleSpan] = []) {
            self.before = before
            self.after = after
            self.deleteRules = deleteRules
        }
    }

    /// Successive versions that declare the same delete rule.
    package struct DeleteRuleSpan: Hashable, Sendable {
        package let rule: Schema.DeleteRule
        package let versions: [Schema.Version]
    }

    /// Compares two versions.
    ///
    /// - Parameters:
    ///   - from: the version whose entities and attributes are in `before`, as an index in `Plan.shapes`.
    ///   - to: the version whose entities and attributes are in `after`, as an index in `Plan.shapes`.
    package init(_ plan: Plan, from: Int, to: Int) {
        self.from = plan.name(of: from)
        self.to = plan.name(of: to)
        let synced = plan.hub.entities.indices.compactMap { index -> Entity? in
            let (before, after) = (plan.projections[from][index], plan.projections[to][index])
            let older = before.flatMap { plan.shapes[from].entity($0.name) }
            let newer = after.flatMap { plan.shapes[to].entity($0.name) }
            let members: [Member] =
                if let before, let after, let older, let newer {
                    Self.changes(from: older, before, to: newer, after)
                        + Self.byName(older.stayingMembers, newer.stayingMembers)
                        + RelationshipChanges(plan, entity: index, from: from, to: to).members
                } else {
                    Self.byName(older?.members ?? [], newer?.members ?? [])
                }
            guard before?.name != after?.name || !members.isEmpty else { return nil }
            return Entity(before: before?.name, after: after?.name, scope: .synced, members: members)
        }
        entities = synced + Self.localChanges(plan.shapes[from], plan.shapes[to])
    }

    /// Returns the attributes that differ. An attribute is the same in both versions if it has the same column.
    /// Attributes that a conversion links count as one difference.
    ///
    /// A to-one relationship is listed here only if one version lacks it: see `RelationshipChanges`.
    private static func changes(
        from older: Schema.Entity, _ before: Projection, to newer: Schema.Entity, _ after: Projection
    ) -> [Member] {
        var changes: [Member] = []
        var goneByUnit: [Int: [SchemaMember]] = [:]
        var newByUnit: [Int: [SchemaMember]] = [:]
        for field in before.fields where !after.fields.contains(where: { $0.column == field.column }) {
            goneByUnit[field.unit, default: []].append(older.member(field))
        }
        for field in after.fields {
            guard let was = before.fields.first(where: { $0.column == field.column }) else {
                newByUnit[field.unit, default: []].append(newer.member(field))
                continue
            }
            let member = Member(before: [older.member(was)], after: [newer.member(field)])
            if member.before != member.after, !was.type.isReference { changes.append(member) }
        }
        for unit in Set(goneByUnit.keys).union(newByUnit.keys).sorted() {
            changes.append(Member(before: goneByUnit[unit] ?? [], after: newByUnit[unit] ?? []))
        }
        return changes
    }

    static func byName(_ before: [SchemaMember], _ after: [SchemaMember]) -> [Member] {
        let gone = before.filter { member in !after.contains { $0.name == member.name } }
        let kept = after.compactMap { member -> Member? in
            let was = before.first { $0.name == member.name }
            return was == member ? nil : Member(before: was.map { [$0] } ?? [], after: [member])
        }
        return gone.map { Member(before: [$0], after: []) } + kept
    }

    /// The changed entities that are local to the device. They are matched by name, because no other identity is
    /// recorded for them.
    private static func localChanges(_ before: Schema, _ after: Schema) -> [Entity] {
        let older = before.entities.filter { $0.scope == .local }
        let newer = after.entities.filter { $0.scope == .local }
        let gone = older.filter { entity in !newer.contains { $0.name == entity.name } }.map {
            Entity(before: $0.name, after: nil, scope: .local, members: byName($0.members, []))
        }
        return gone
            + newer.compactMap { entity in
                let was = older.first { $0.name == entity.originalName ?? entity.name }
                let members = byName(was?.members ?? [], entity.members)
                guard was?.name != entity.name || !members.isEmpty else { return nil }
                return Entity(before: was?.name, after: entity.name, scope: .local, members: members)
            }
    }
}

extension AttributeType {
    fileprivate var isReference: Bool {
        if case .reference = kind { true } else { false }
    }
}
