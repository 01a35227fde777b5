/// The part of the compiler that applies instructions about attributes: conversions, splits, merges and mapped cases.
extension StageCompiler {
    /// The names of the attributes that an entity's conversions read or produce, in the older and in the newer version.
    /// A name may be missing from the schema.
    struct Joined {
        var older: Set<String> = []
        var newer: Set<String> = []
    }

    /// Reports an attribute that is converted into another one although the newer version still has it. Two newer
    /// attributes would then continue the older one, and only one of them could get its value.
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
            let isOnce = Set(joint.older).count == joint.older.count && Set(joint.newer).count == joint.newer.count
            guard isFirst, isOnce else {
                report(
                    .duplicate, "\(before.name).\(joint.older.joined(separator: ", "))",
                    isOnce
                        ? "another conversion of the stage already speaks for one of its attributes"
                        : "the \(joint.verb.rawValue) names one of its attributes twice",
                    "Keep one of the two.")
                continue
            }
            let mapping = joint.mapping(before, after)
            let subject = "\(before.name).\(joint.older.joined(separator: ", "))"
            if let mistake = joint.mistake(before, after) {
                report(.badConversion, subject, mistake, "Name cases that the two versions declare.")
            } else if let fault = fault(of: mapping, from: from.map { $0! }, to: to.map { $0! }) {
                report(fault.code, subject, fault.message, fault.remedy)
            } else {
                operations.append(operation(from: from.map { $0! }, to: to.map { $0! }, mapping: mapping))
            }
        }
        return operations
    }

    private typealias Fault = (code: PlanProblem.Code, message: String, remedy: String)

    /// Returns the reason why a conversion does not fit the attributes that it is declared for; `nil` if it fits.
    private func fault(
        of mapping: ValueMapping, from: [Schema.Attribute], to: [Schema.Attribute]
    ) -> Fault? {
        func fits(_ attributes: [Schema.Attribute], _ side: ValueMapping.Side) -> Bool {
            attributes.count == side.types.count && zip(attributes, side.types).allSatisfy { $0.type.holds($1) }
        }
        guard fits(from, mapping.older), fits(to, mapping.newer) else {
            return (
                .badConversion,
                "\(mapping.name) converts \(mapping.older.types) to \(mapping.newer.types), the schemas have "
                    + "\(from.map(\.type)) and \(to.map(\.type))",
                "Use a conversion of exactly these types."
            )
        }
        if mapping.fidelity.sharesColumn, from.count + to.count > 2 {
            return (
                .badConversion, "\(mapping.name) says that it keeps everything in one column, and there are several",
                "Leave its `fidelity` out."
            )
        }
        // A value that no client has set is converted as well, so the functions must be able to read it.
        let sides = zip(from + to, mapping.older.reads + mapping.newer.reads)
        guard let (attribute, _) = sides.first(where: { !$1($0.beginning) }) else { return nil }
        return (
            .badDefault,
            "\(mapping.name) cannot read \(attribute.beginning.brief), with which ‘\(attribute.name)’ begins",
            "Give it a default that reads as \(attribute.type), or make it optional."
        )
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

extension Schema.Attribute {
    /// The attribute's value in a record that is created without one. If the default depends on the record, such as its
    /// time of creation, this is the type's zero.
    var beginning: Value {
        guard let `default` else { return type.isOptional ? .null : type.kind.zero }
        return `default`.constant(for: type.kind) ?? type.kind.zero
    }
}
