/// Works out what happens between two neighbouring versions: the diff, the author's instructions, and whether the declared
/// kind is the true one.
struct StageCompiler {
    let older: Schema
    let newer: Schema
    private let instructions: [StageInstruction]
    private let isDeclaredCustom: Bool
    private(set) var problems: [PlanProblem] = []
    private var distinct: [(newer: String, older: String)] = []
    private var used: Set<Int> = []

    init(older: Schema, newer: Schema, kind: MigrationStage.Kind) {
        self.older = older
        self.newer = newer
        switch kind {
        case .lightweight:
            instructions = []
            isDeclaredCustom = false
        case .custom(let stated):
            instructions = stated
            isDeclaredCustom = true
        }
    }

    mutating func compile() -> Stage {
        for (index, instruction) in instructions.enumerated() {
            if case .distinct(let newer, let older) = instruction {
                distinct.append((newer, older))
                used.insert(index)
            }
        }
        let matches = matchEntities()
        let steps = matches.map { older, newer in step(from: older, to: newer) }
        checkKind()
        checkAmbiguity(matches)
        return Stage(entities: steps)
    }

    var subject: String { "\(older.version) → \(newer.version)" }

    mutating func report(_ code: PlanProblem.Code, _ what: String, _ message: String, _ remedy: String) {
        problems.append(PlanProblem(code: code, subject: "\(what), \(subject)", message: message, remedy: remedy))
    }

    // MARK: Entities

    private func matchEntities() -> [(Schema.Entity?, Schema.Entity?)] {
        let synced = newer.entities.filter { $0.scope == .synced }
        var taken: Set<String> = []
        var matches: [(Schema.Entity?, Schema.Entity?)] = synced.map { entity in
            let before = older.entity(entity.originalName ?? entity.name).flatMap { $0.scope == .synced ? $0 : nil }
            if let before { taken.insert(before.name) }
            return (before, entity)
        }
        matches += older.entities.filter { $0.scope == .synced && !taken.contains($0.name) }.map { ($0, nil) }
        return matches
    }

    private mutating func step(from before: Schema.Entity?, to after: Schema.Entity?) -> Stage.EntityStep {
        guard let before, let after else {
            return Stage.EntityStep(older: before?.name, newer: after?.name, operations: [])
        }
        return Stage.EntityStep(older: before.name, newer: after.name, operations: operations(from: before, to: after))
    }

    // MARK: Attributes

    private mutating func operations(from before: Schema.Entity, to after: Schema.Entity) -> [any LensOperation] {
        var operations: [any LensOperation] = joints(from: before, to: after)
        var consumed = Set(operations.flatMap(\.older))
        let produced = Set(operations.flatMap(\.newer))
        for field in after.fields where !produced.contains(field.name) {
            let name = field.originalName ?? field.name
            if let was = before.fields.first(where: { $0.name == name && !consumed.contains($0.name) }) {
                consumed.insert(was.name)
                if let carried = carry(was, to: field, entity: after) { operations.append(carried) }
            } else {
                checkAdded(field, entity: after)
                operations.append(AddAttribute(attribute: field))
            }
        }
        for field in before.fields where !consumed.contains(field.name) {
            operations.append(RemoveAttribute(attribute: field, substitute: substitute(for: field, in: before)))
        }
        return operations
    }

    private mutating func checkAdded(_ field: Schema.Attribute, entity: Schema.Entity) {
        if !field.type.isOptional, field.default == nil {
            report(
                .missingDefault, "\(entity.name).\(field.name)",
                "it is required and has no default, so records of older versions would have no value for it",
                "Give it a default, make it optional, or declare `originalName:` if it is a renaming.")
        }
    }

    private mutating func joints(from before: Schema.Entity, to after: Schema.Entity) -> [any LensOperation] {
        var operations: [any LensOperation] = []
        for (index, instruction) in instructions.enumerated() {
            guard case .convert(let joint) = instruction, joint.entity == before.name else { continue }
            used.insert(index)
            let from = joint.older.map { name in before.fields.first { $0.name == name } }
            let to = joint.newer.map { name in after.fields.first { $0.name == name } }
            guard from.allSatisfy({ $0 != nil }), to.allSatisfy({ $0 != nil }) else {
                let missing =
                    zip(joint.older, from).filter { $1 == nil }.map(\.0) + zip(joint.newer, to).filter { $1 == nil }.map(\.0)
                report(
                    .unknownName, "\(before.name).\(missing.joined(separator: ", "))",
                    "the \(joint.verb.rawValue) names an attribute that is not there",
                    "Write the older name first, and declare the newer one in the schema of \(newer.version).")
                continue
            }
            let mapping = joint.mapping(before, after)
            guard zip(from, mapping.olderKinds).allSatisfy({ $0!.type.holds($1) }),
                zip(to, mapping.newerKinds).allSatisfy({ $0!.type.holds($1) })
            else {
                report(
                    .badConversion, "\(before.name).\(joint.older.joined(separator: ", "))",
                    "\(mapping.name) converts \(mapping.olderKinds) to \(mapping.newerKinds), the schemas have "
                        + "\(from.map { $0!.type }) and \(to.map { $0!.type })",
                    "Use a conversion of exactly these types.")
                continue
            }
            operations.append(operation(from: from.map { $0! }, to: to.map { $0! }, mapping: mapping))
        }
        return operations
    }

    private func operation(
        from: [Schema.Attribute], to: [Schema.Attribute], mapping: ValueMapping
    ) -> any LensOperation {
        guard mapping.fidelity.sharesColumn else { return ConvertAttributes(from: from, to: to, mapping: mapping) }
        let step = ViewStep.converted(ConvertedView(mapping: mapping, columnIsNewer: true))
        return CarryAttribute(from: from[0], to: to[0], olderSteps: [step], newerSteps: [])
    }

    private mutating func substitute(for field: Schema.Attribute, in entity: Schema.Entity) -> Default? {
        for (index, instruction) in instructions.enumerated() {
            guard case .substitute(let path, let standard) = instruction else { continue }
            guard path == "\(entity.name).\(field.name)" else { continue }
            used.insert(index)
            if case .attribute(let source) = standard {
                let type = entity.fields.first { $0.name == source }?.type
                if type == field.type { return standard }
            } else if standard.fits(field.type.kind) {
                return standard
            }
            report(
                .badDefault, path, "the substitute \(standard) is not a \(field.type)",
                "Give a value of the attribute's type, or another attribute of the same entity and type.")
        }
        return nil
    }

    // MARK: Types

    private mutating func carry(
        _ was: Schema.Attribute, to field: Schema.Attribute, entity: Schema.Entity
    ) -> CarryAttribute? {
        guard let steps = TypeChange(from: was, to: field, unknown: unknownCase(of: was, entity: entity)) else {
            report(
                .needsConversion, "\(entity.name).\(field.name)", "\(was.type) became \(field.type)",
                "Make the stage `.custom` and write `Convert(\"\(entity.originalName ?? entity.name).\(was.name)\", using: …)`.")
            return nil
        }
        if case .reference(let target) = field.type.kind, case .reference(let old) = was.type.kind,
            newer.entity(target).map({ $0.originalName ?? $0.name }) != old
        {
            report(
                .retargeted, "\(entity.name).\(field.name)", "it referred to \(old) and now refers to \(target)",
                "Remove it and add a relationship of another name; the old one stays for older versions.")
        }
        return CarryAttribute(from: was, to: field, olderSteps: steps.older, newerSteps: steps.newer)
    }

    private mutating func unknownCase(of field: Schema.Attribute, entity: Schema.Entity) -> String? {
        for (index, instruction) in instructions.enumerated() {
            guard case .unknownCase(let path, let fallback) = instruction,
                path == "\(entity.originalName ?? entity.name).\(field.name)"
            else { continue }
            used.insert(index)
            if field.type.kind.admits(.string(fallback)) { return fallback }
            report(.badDefault, path, "‘\(fallback)’ is not a case of \(field.type)", "Name one of its cases.")
        }
        return nil
    }

    // MARK: The whole stage

    /// The declared kind is the computed one: custom exactly when an instruction does something.
    private mutating func checkKind() {
        let unused = instructions.indices.filter { !used.contains($0) }
        for index in unused {
            report(
                .unusedInstruction, "\(instructions[index].path)", "the stage's instruction concerns nothing that is there",
                "Correct the name, or remove the instruction.")
        }
        if isDeclaredCustom, instructions.isEmpty {
            report(
                .wrongKind, "the stage", "it is declared custom and does nothing that lightweight would not do",
                "Write `.lightweight(fromVersion:toVersion:)`.")
        }
    }

    /// Something removed beside something similar added is a renaming that lost its `originalName`, or must be said not to be.
    private mutating func checkAmbiguity(_ matches: [(Schema.Entity?, Schema.Entity?)]) {
        let gone = matches.filter { $0.1 == nil }.compactMap(\.0)
        let come = matches.filter { $0.0 == nil }.compactMap(\.1)
        for new in come {
            for old in gone where Similarity.ofEntities(old, new) && !isDistinct(new.name, old.name) {
                report(
                    .ambiguous, "\(old.name) and \(new.name)", "one is removed, the other added, and they look alike",
                    "Write `Model(\"\(new.name)\", originalName: \"\(old.name)\")` for a renaming, or "
                        + "`Distinct(\"\(new.name)\", from: \"\(old.name)\")` in a custom stage.")
            }
        }
        for (before, after) in matches {
            guard let before, let after else { continue }
            checkAmbiguity(before, after)
        }
    }

    private mutating func checkAmbiguity(_ before: Schema.Entity, _ after: Schema.Entity) {
        let kept = Set(after.fields.map { $0.originalName ?? $0.name })
        let known = Set(before.fields.map(\.name))
        let joined = instructions.flatMap { instruction -> [String] in
            guard case .convert(let joint) = instruction, joint.entity == before.name else { return [] }
            return joint.older + joint.newer
        }
        let gone = before.fields.filter { !kept.contains($0.name) && !joined.contains($0.name) }
        let come = after.fields.filter { !known.contains($0.originalName ?? $0.name) && !joined.contains($0.name) }
        for new in come {
            for old in gone where Similarity.ofAttributes(old, new) {
                let (newPath, oldPath) = ("\(after.name).\(new.name)", "\(before.name).\(old.name)")
                if isDistinct(newPath, oldPath) { continue }
                report(
                    .ambiguous, "\(oldPath) and \(newPath)", "one is removed, the other added, and they look alike",
                    "Declare ‘\(new.name)’ with `originalName: \"\(old.name)\"` for a renaming, or write "
                        + "`Distinct(\"\(newPath)\", from: \"\(oldPath)\")` in a custom stage.")
            }
        }
    }

    private func isDistinct(_ newer: String, _ older: String) -> Bool {
        distinct.contains { $0.newer == newer && $0.older == older }
    }
}

extension StageInstruction {
    /// What it is about, as its author wrote it.
    fileprivate var path: String {
        switch self {
        case .convert(let joint): "\(joint.entity).\(joint.older.joined(separator: ", "))"
        case .unknownCase(let path, _), .substitute(let path, _), .distinct(let path, _): path
        }
    }
}
