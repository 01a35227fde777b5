/// Compiles the stage between two shapes: computes the differences between them, applies the author's instructions, and
/// checks that the declared kind of the stage is the right one.
struct StageCompiler {
    let older: Schema
    let newer: Schema
    let instructions: [StageInstruction.Kind]
    private let isDeclaredCustom: Bool
    private(set) var problems: [PlanProblem] = []
    /// The indices of the instructions that applied to an entity or attribute of the two versions.
    var used: Set<Int> = []

    /// The name of the stage's newer schema if that schema is a historical variant (which has the same version number
    /// as the stage's older schema); `nil` if it is a version.
    /// `nil` if it is a version.
    private let variant: String?

    init(older: Schema, newer: Schema, kind: MigrationStage.Kind, variant: String? = nil) {
        self.older = older
        self.newer = newer
        self.variant = variant
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
        checkDecisions()
        checkKind()
        return Stage(entities: steps, isCustom: isDeclaredCustom)
    }

    var subject: String { "\(older.version) → \(variant ?? "\(newer.version)")" }

    /// The place in the plan where an instruction belongs, in words for a problem's remedy.
    var instructionsPlace: String { variant == nil ? "a custom stage" : "the variant's braces" }

    mutating func report(_ code: PlanProblem.Code, _ what: String, _ message: String, _ remedy: String) {
        problems.append(PlanProblem(code: code, subject: "\(what), \(subject)", message: message, remedy: remedy))
    }

    // MARK: Entities

    /// Returns the entities of the two versions in pairs. An added or a removed entity has `nil` as its partner. If the
    /// newer version renames an entity and uses its old name again, the old name is that of a new entity.
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

    /// Checks that each original name is a name in the version before.
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
        checkMultiplicity(before, after)
        checkIdentity(before, after)
        return Stage.EntityStep(older: before.name, newer: after.name, operations: operations(from: before, to: after))
    }

    /// Checks that a singleton (an entity with one record in each space) stays one, and that no other entity becomes
    /// one. For a new singleton, it would be undecided which of the records is kept. If a singleton got many records,
    /// older versions could not show them.
    private mutating func checkMultiplicity(_ before: Schema.Entity, _ after: Schema.Entity) {
        guard before.multiplicity != after.multiplicity else { return }
        report(
            .changedMultiplicity, after.name,
            "it was \(before.multiplicity.rawValue) and is \(after.multiplicity.rawValue)",
            "Declare it `.\(before.multiplicity.rawValue)` in both versions, or remove it and add an entity of another "
                + "name.")
    }

    /// Checks that the type of ids changes at most from UUID to text: every UUID can be written as a text. Text ids
    /// cannot become UUIDs, because the newer version would then refer to existing records by ids that older versions
    /// do not know.
    private mutating func checkIdentity(_ before: Schema.Entity, _ after: Schema.Entity) {
        guard variant == nil, before.identityType == .string, after.identityType == .uuid else { return }
        report(
            .changedIdentity, after.name, "its id was a String and is a UUID, which not every text is",
            "Keep `Identity(\"\(after.identity ?? before.identity ?? "id")\", .string)`, or remove it and add an "
                + "entity of another name.")
    }

    // MARK: Attributes

    private mutating func operations(from before: Schema.Entity, to after: Schema.Entity) -> [any LensOperation] {
        var joined = Joined()
        var operations = joints(from: before, to: after, joined: &joined)
        let renamed = Set(after.fields.compactMap(\.originalName))
        var consumed = joined.older
        for field in after.fields where !joined.newer.contains(field.name) {
            // As for entities: a renaming frees the old name.
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

    private mutating func checkAdded(_ field: Schema.Attribute, entity: Schema.Entity) {
        if !field.type.isOptional, field.default == nil {
            report(
                .missingDefault, "\(entity.name).\(field.name)",
                "it is required and has no default, so records of older versions would have no value for it",
                "Give it a default, make it optional, or declare `originalName:` if it is a renaming.")
        }
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

    /// Returns true if older versions read another attribute in place of this removed one. Such an attribute cannot be
    /// a substitute itself. Otherwise two attributes could each wait for the other's value.
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
        checkUnit(was, field, entity)
        let unknown = unknownCase(of: was, entity: entity)
        let steps = TypeChange(from: was, to: field, unknown: unknown?.reads)
        // An `UnknownCase` has an effect only if the older version reads through its own cases.
        if let unknown, steps?.older.contains(where: \.isOneOf) ?? true { used.insert(unknown.instruction) }
        guard let steps else {
            report(
                .needsConversion, "\(entity.name).\(field.name)", "\(was.type) became \(field.type)",
                toConvert(was, to: field, in: entity))
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

    /// Checks the unit of a number. If the stated unit changes, the author must write a conversion, because the same
    /// number means another quantity. A unit may be stated later, but not dropped: otherwise a third version could
    /// state another unit without a conversion.
    private mutating func checkUnit(_ was: Schema.Attribute, _ field: Schema.Attribute, _ entity: Schema.Entity) {
        guard let unit = was.unit, unit != field.unit else { return }
        report(
            .needsConversion, "\(entity.name).\(field.name)",
            "it counted \(unit) and now \(field.unit ?? "does not say what")",
            field.unit == nil
                ? "State `unit: \"\(unit)\"` again."
                : toConvert(was, to: field, in: entity))
    }

    /// The remedy for a change of type: the `Convert` instruction that the author must write, with the attribute's
    /// names in the older and the newer version.
    private func toConvert(_ was: Schema.Attribute, to field: Schema.Attribute, in entity: Schema.Entity) -> String {
        let target = was.name == field.name ? "" : ", to: \"\(field.name)\""
        return (variant == nil ? "Make the stage `.custom` and write " : "Give the variant braces and write in them ")
            + "`Convert(\"\(entity.originalName ?? entity.name).\(was.name)\"\(target), using: …)`."
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

    private mutating func checkDecisions() {
        for (index, instruction) in instructions.enumerated() {
            guard case .undecided(let question) = instruction else { continue }
            used.insert(index)
            problems.append(question.problem(in: subject))
        }
    }

    /// Checks that the declared kind of the stage is right: it must be custom exactly if an instruction changes
    /// something.
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
                variant == nil ? "Write `.lightweight(fromVersion:toVersion:)`." : "Leave the empty braces out.")
        }
    }

}

extension ViewStep {
    fileprivate var isOneOf: Bool {
        if case .oneOf = self { true } else { false }
    }
}

extension StageInstruction.Kind {
    /// The entity or attribute that the instruction names, as its author wrote it.
    fileprivate var path: String {
        switch self {
        case .convert(let joint): "\(joint.entity).\(joint.older.joined(separator: ", "))"
        case .unknownCase(let path, _), .substitute(let path, _), .distinct(let path, _): path
        case .undecided(let question): question.question
        }
    }
}
