import WireFormats

/// An attribute that is gone, and those of the same type that are new in its place: sources without an `originalName`
/// do not say whether one of them is the same thing. The plan's own check asks only where names or places are alike;
/// a renaming that nobody states would hide values from other versions, so an import asks always.
struct LikelyRenaming {
    let entity: String
    let older: String
    let newer: [String]

    /// - Parameter asked: the pairs that the plan's check asks about, as `Trip.name and Trip.title`.
    static func all(from before: Schema, to after: Schema, besides asked: [String]) -> [LikelyRenaming] {
        after.entities.flatMap { entity -> [LikelyRenaming] in
            guard let old = before.entity(entity.originalName ?? entity.name) else { return [] }
            let kept = Set(entity.attributes.map { $0.originalName ?? $0.name })
            let known = Set(old.attributes.map(\.name))
            let come = entity.attributes.filter { !known.contains($0.originalName ?? $0.name) }
            return old.attributes.filter { !kept.contains($0.name) }.compactMap { gone in
                let alike = come.filter { new in
                    new.type.kind == gone.type.kind
                        && !asked.contains("\(old.name).\(gone.name) and \(entity.name).\(new.name)")
                }
                return alike.isEmpty ? nil : Self(entity: entity.name, older: gone.name, newer: alike.map(\.name))
            }
        }
    }

    func decision(about draft: DraftSchema) -> Decision {
        let found = draft.entities.first { $0.name == entity }
        let names = newer.map { "‘\($0)’" }.joined(separator: ", ")
        var decision = Decision(
            .stage, entity: entity, member: newer[0],
            at: found?.location(of: newer[0]) ?? found?.location ?? draft.location,
            "‘\(older)’ is gone, and \(names), of its type, \(newer.count == 1 ? "is" : "are") new: "
                + "is it the same, renamed?",
            choices: newer.map { name in
                .init(
                    "Attribute(\"\(name)\", …, originalName: \"\(older)\")",
                    "it is: in the version's file, for ‘Removed’; or import with "
                        + "--rename \(entity).\(older)=\(name)")
            } + [.init("remove this", "it is not: older versions keep theirs, and do not see what is new")])
        decision.version = draft.version
        return decision
    }
}
