/// Works out what happens between two neighbouring versions: the diff, the author's instructions, and whether the declared
/// kind is the true one.
struct StageCompiler {
    let older: Schema
    let newer: Schema
    private let instructions: [StageInstruction]
    private let isDeclaredCustom: Bool
    private(set) var problems: [PlanProblem] = []
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
        let matches = matchEntities()
        let steps = matches.map { older, newer in step(from: older, to: newer) }
        checkAmbiguity(matches)
        checkKind()
        return Stage(entities: steps)
    }

    var subject: String { "\(older.version) → \(newer.version)" }

    mutating func report(_ code: PlanProblem.Code, _ what: String, _ message: String, _ remedy: String) {
        problems.append(PlanProblem(code: code, subject: "\(what), \(subject)", message: message, remedy: remedy))
    }

    // MARK: Entities

    /// Renamings first: a name that a renaming left is free, and an entity that takes it is another one.
    private mutating func matchEntities() -> [(Schema.Entity?, Schema.Entity?)] {
        checkOriginalNames()
        let renamed = Set(newer.entities.compactMap(\.originalName))
        var taken: Set<String> = []
        var matches: [(Schema.Entity?, Schema.Entity?)] = newer.entities.filter { $0.scope == .synced }.map { entity in
            if entity.originalName == nil, renamed.contains(entity.name) { return (nil, entity) }
            let before = older.entity(entity.originalName ?? entity.name).flatMap { $0.scope == .synced ? $0 : nil }
            if let before { taken.insert(before.name) }
            return (before, entity)
        }
        matches += older.entities.filter { $0.scope == .synced && !taken.contains($0.name) }.map { ($0, nil) }
        return matches
    }

    /// An original name is one that the version before has.
    private mutating func checkOriginalNames() {
        for entity in newer.entities {
            let before = older.entity(entity.originalName ?? entity.name)
            if let name = entity.originalName, before == nil {
                reportUnknown(name, of: entity.name, among: older.entities.map(\.name))
                continue
            }
            let known = before.map { $0.attributes.map(\.name) + $0.relationships.map(\.name) } ?? []
            for field in entity.fields {
                guard let name = field.originalName, !known.contains(name) else { continue }
                reportUnknown(name, of: "\(entity.name).\(field.name)", among: known)
            }
        }
    }

    private mutating func reportUnknown(_ name: String, of what: String, among candidates: [String]) {
        let choice = candidates.isEmpty ? "" : ", or write one of \(candidates.joined(separator: ", "))"
        report(
            .unknownName, what, "its original name ‘\(name)’ is nothing that the older version has",
            "Leave the original name out\(choice).")
    }

    private mutating func step(from before: Schema.Entity?, to after: Schema.Entity?) -> Stage.EntityStep {
        guard let before, let after else {
            return Stage.EntityStep(older: before?.name, newer: after?.name, operations: [])
        }
        return Stage.EntityStep(older: before.name, newer: after.name, operations: operations(from: before, to: after))
    }

    // MARK: Attributes

    private mutating func operations(from before: Schema.Entity, to after: Schema.Entity) -> [any LensOperation] {
        var joined = Joined()
        var operations = joints(from: before, to: after, joined: &joined)
        let renamed = Set(after.fields.compactMap(\.originalName))
        var consumed = joined.older
        for field in after.fields where !joined.newer.contains(field.name) {
            // As among entities: a name that a renaming left is free.
            let isFresh = field.originalName == nil && renamed.contains(field.name)
            let was = isFresh ? nil : before.fields.first { $0.name == field.originalName ?? field.name }
            if let was, joined.older.contains(was.name) {
                reportSplit(was.name, and: field, of: before)
            } else if let was {
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

    /// The attributes that conversions of one entity speak for, also where they do so wrongly.
    private struct Joined {
        var older: Set<String> = []
        var newer: Set<String> = []
    }

    /// What is converted into something else and is also still there would have two lives, and one of them no value.
    private mutating func reportSplit(_ name: String, and field: Schema.Attribute, of entity: Schema.Entity) {
        let others = instructions.flatMap { instruction -> [String] in
            guard case .convert(let joint) = instruction, joint.entity == entity.name, joint.older.contains(name) else {
                return []
            }
            return joint.newer
        }
        report(
            .ambiguous, "\(entity.name).\(name)",
            "it is converted to \(others.map { "‘\($0)’" }.joined(separator: " and ")) and still there as ‘\(field.name)’",
            "Remove it from the schema of \(newer.version), or leave the conversion out.")
    }

    private mutating func checkAdded(_ field: Schema.Attribute, entity: Schema.Entity) {
        if !field.type.isOptional, field.default == nil {
            report(
                .missingDefault, "\(entity.name).\(field.name)",
                "it is required and has no default, so records of older versions would have no value for it",
                "Give it a default, make it optional, or declare `originalName:` if it is a renaming.")
        }
    }

    private mutating func joints(
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
                if type == field.type, !isCopied(source, of: entity) { return standard }
            } else if standard.fits(field.type.kind) {
                return standard
            }
            report(
                .badDefault, path, "the substitute \(standard) is not a \(field.type)",
                "Give a value of the attribute's type, or another attribute of the same entity and type that is not a "
                    + "substitute itself.")
        }
        return nil
    }

    /// Whether an attribute is itself read from another one: of two such, neither would have a value first.
    private func isCopied(_ name: String, of entity: Schema.Entity) -> Bool {
        instructions.contains { instruction in
            guard case .substitute(let path, .attribute) = instruction else { return false }
            return path == "\(entity.name).\(name)"
        }
    }

    // MARK: Types

    private mutating func carry(
        _ was: Schema.Attribute, to field: Schema.Attribute, entity: Schema.Entity
    ) -> CarryAttribute? {
        let unknown = unknownCase(of: was, entity: entity)
        let steps = TypeChange(from: was, to: field, unknown: unknown?.reads)
        // It has a use where the older version reads through its own cases.
        if let unknown, steps?.older.contains(where: \.isOneOf) ?? true { used.insert(unknown.instruction) }
        guard let steps else {
            report(
                .needsConversion, "\(entity.name).\(field.name)", "\(was.type) became \(field.type)",
                "Make the stage `.custom` and write `Convert(\"\(entity.originalName ?? entity.name).\(was.name)\", using: …)`."
            )
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

    private mutating func unknownCase(
        of field: Schema.Attribute, entity: Schema.Entity
    ) -> (instruction: Int, reads: String)? {
        for (index, instruction) in instructions.enumerated() {
            guard case .unknownCase(let path, let fallback) = instruction,
                path == "\(entity.originalName ?? entity.name).\(field.name)"
            else { continue }
            if field.type.kind.admits(.string(fallback)) { return (index, fallback) }
            used.insert(index)
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
                .unusedInstruction, "\(instructions[index].path)",
                "the stage's instruction concerns nothing that is there",
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
        useDistinct(come: come.map(\.name), gone: gone.map(\.name))
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
        let renamed = Set(after.fields.compactMap(\.originalName))
        let kept = renamed.union(after.fields.filter { $0.originalName == nil }.map(\.name))
        let known = Set(before.fields.map(\.name))
        let joined = instructions.flatMap { instruction -> [String] in
            guard case .convert(let joint) = instruction, joint.entity == before.name else { return [] }
            return joint.older + joint.newer
        }
        let gone = before.fields.filter { !kept.contains($0.name) && !joined.contains($0.name) }
        let come = after.fields.filter { !known.contains($0.originalName ?? $0.name) && !joined.contains($0.name) }
        useDistinct(come: come.map { "\(after.name).\($0.name)" }, gone: gone.map { "\(before.name).\($0.name)" })
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
        instructions.contains { instruction in
            guard case .distinct(newer, let from) = instruction else { return false }
            return from == older
        }
    }

    /// A statement about something that came and something that went has its use, also where the two do not look alike.
    private mutating func useDistinct(come: [String], gone: [String]) {
        for (index, instruction) in instructions.enumerated() {
            if case .distinct(let newer, let older) = instruction, come.contains(newer), gone.contains(older) {
                used.insert(index)
            }
        }
    }
}

extension ViewStep {
    fileprivate var isOneOf: Bool {
        if case .oneOf = self { true } else { false }
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
