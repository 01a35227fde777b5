/// Attributes whose change an instruction states: converted, split, merged, mapped.
extension StageCompiler {
    /// The attributes that conversions of one entity speak for, also where they do so wrongly.
    struct Joined {
        var older: Set<String> = []
        var newer: Set<String> = []
    }

    /// What is converted into something else and is also still there would have two lives, and one of them no value.
    mutating func reportSplit(_ name: String, and field: Schema.Attribute, of entity: Schema.Entity) {
        let others = instructions.flatMap { instruction -> [String] in
            guard case .convert(let joint) = instruction, joint.entity == entity.name, joint.older.contains(name) else {
                return []
            }
            return joint.newer
        }
        report(
            .ambiguous, "\(entity.name).\(name)",
            "it is converted to \(others.map { "‘\($0)’" }.joined(separator: " and ")) and still there as "
                + "‘\(field.name)’",
            "Remove it from the schema of \(newer.version), or leave the conversion out.")
    }

    mutating func joints(
        from before: Schema.Entity, to after: Schema.Entity, joined: inout Joined
    ) -> [any LensOperation] {
        var operations: [any LensOperation] = []
        for (index, instruction) in instructions.enumerated() {
            guard case .convert(let joint) = instruction, joint.entity == before.name else { continue }
            used.insert(index)
            let from = joint.older.map { name in before.fields.first { $0.name == name } }
            let to = joint.newer.map { name in after.fields.first { $0.name == name } }
            guard from.allSatisfy({ $0 != nil }), to.allSatisfy({ $0 != nil }) else {
                let missing =
                    zip(joint.older, from).filter { $1 == nil }.map(\.0)
                    + zip(joint.newer, to).filter { $1 == nil }.map(\.0)
                report(
                    .unknownName, "\(before.name).\(missing.joined(separator: ", "))",
                    "the \(joint.verb.rawValue) names an attribute that is not there",
                    "Write the older name first, and declare the newer one in the schema of \(newer.version).")
                continue
            }
            let isFirst = joined.older.isDisjoint(with: joint.older) && joined.newer.isDisjoint(with: joint.newer)
            joined.older.formUnion(joint.older)
            joined.newer.formUnion(joint.newer)
            guard isFirst else {
                report(
                    .duplicate, "\(before.name).\(joint.older.joined(separator: ", "))",
                    "another conversion of the stage already speaks for one of its attributes", "Keep one of the two.")
                continue
            }
            let mapping = joint.mapping(before, after)
            let mistake = joint.mistake(before, after)
            let isFitting =
                zip(from, mapping.olderKinds).allSatisfy { $0!.type.holds($1) }
                && zip(to, mapping.newerKinds).allSatisfy { $0!.type.holds($1) }
            guard isFitting, mistake == nil else {
                report(
                    .badConversion, "\(before.name).\(joint.older.joined(separator: ", "))",
                    mistake
                        ?? "\(mapping.name) converts \(mapping.olderKinds) to \(mapping.newerKinds), the schemas have "
                        + "\(from.map { $0!.type }) and \(to.map { $0!.type })",
                    mistake == nil
                        ? "Use a conversion of exactly these types." : "Name cases that the two versions declare.")
                continue
            }
            operations.append(operation(from: from.map { $0! }, to: to.map { $0! }, mapping: mapping))
        }
        return operations
    }

    private func operation(
        from: [Schema.Attribute], to: [Schema.Attribute], mapping: ValueMapping
    ) -> any LensOperation {
        let mapping = mapping.checked(from: from, to: to)
        guard mapping.fidelity.sharesColumn else { return ConvertAttributes(from: from, to: to, mapping: mapping) }
        let step = ViewStep.converted(ConvertedView(mapping: mapping, columnIsNewer: true))
        return CarryAttribute(from: from[0], to: to[0], olderSteps: [step], newerSteps: [])
    }
}
