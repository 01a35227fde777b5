import WireFormats

/// A builder that follows one entity from shape to shape (versions and variants), in the order in which they were
/// added. It records what the stages (migration steps) do with each attribute.
struct KindTracer {
    private(set) var kind: RecordKind
    let tree: VersionTree
    /// The effects of each stage (migration step) on the entity's attributes, indexed by stage, in the order of
    /// execution.
    private(set) var steps: [[Step]]
    private(set) var slotsCount = 0

    /// An effect of a stage on some attributes. Attributes are given as slots (indices of values in a record).
    enum Step {
        case added(Int, Schema.Attribute)
        case removed(Int, Schema.Attribute, Default?)
        /// Removes an attribute. Records that newer versions create have no value for it, so older versions read the
        /// value of another attribute (`from`) instead.
        case copied(Int, from: Int)
        case joined(older: [Int], newer: [Int], up: Conversion, down: Conversion)
    }

    typealias Conversion = @Sendable ([Value]) -> [Value]

    /// Makes a builder that knows only the first shape (version or variant) that has the entity.
    ///
    /// - Parameter shape: the index of that shape.
    init(_ entity: Schema.Entity, in shape: Int, of tree: VersionTree) {
        self.tree = tree
        kind = RecordKind(
            names: tree.schemas.map { _ in nil }, fields: tree.schemas.map { _ in [] },
            identities: tree.schemas.map { _ in nil })
        steps = tree.stages.map { _ in [] }
        var slots: [String: Int] = [:]
        for field in entity.fields { slots[field.name] = newSlot() }
        note(entity, in: shape, slots)
    }

    private func slot(of name: String, in shape: Int) -> Int? {
        kind.fields[shape].first { $0.attribute.name == name }?.slot
    }

    private mutating func note(_ entity: Schema.Entity, in shape: Int, _ slots: [String: Int]) {
        kind.names[shape] = entity.name
        kind.identities[shape] = entity.identity
        kind.fields[shape] = entity.fields.compactMap { attribute in
            slots[attribute.name].map { slot in
                let isReference = if case .reference = attribute.type.kind { true } else { false }
                return RecordKind.Field(attribute: attribute, slot: slot, isReference: isReference)
            }
        }
    }

    // MARK: Slots

    private mutating func newSlot() -> Int {
        slotsCount += 1
        return slotsCount - 1
    }

    // MARK: Stages

    /// Records the effects of one stage (migration step) on the entity's attributes.
    ///
    /// - Parameters:
    ///   - before: the entity in the older version of the stage.
    ///   - after: the entity in the newer version of the stage.
    mutating func advance(by stage: VersionTree.Stage, from before: Schema.Entity, to after: Schema.Entity)
        throws(ModelError)
    {
        let number = stage.newer - 1
        var slots: [String: Int] = [:]
        var consumed: Set<String> = []
        for case .convert(let joint) in stage.instructions where joint.entity == before.name {
            try join(joint, stage, before, after, &slots)
            consumed.formUnion(joint.older)
        }
        let renamed = Set(after.fields.compactMap(\.originalName))
        for field in after.fields where slots[field.name] == nil {
            // A name that a renaming has freed may be used for another attribute.
            let isFree = field.originalName == nil && renamed.contains(field.name)
            let was = isFree ? nil : before.fields.first { $0.name == field.originalName ?? field.name }
            if let was, let older = slot(of: was.name, in: stage.older) {
                consumed.insert(was.name)
                let unknown = unknownCase("\(before.name).\(was.name)", stage)
                slots[field.name] = carry(was, at: older, to: field, unknown: unknown, number)
            } else {
                let slot = newSlot()
                slots[field.name] = slot
                steps[number].append(.added(slot, field))
            }
        }
        for field in before.fields where !consumed.contains(field.name) {
            try remove(field, of: before, stage)
        }
        note(after, in: stage.newer, slots)
    }

    private mutating func join(
        _ joint: StageInstruction.Joint, _ stage: VersionTree.Stage, _ before: Schema.Entity, _ after: Schema.Entity,
        _ slots: inout [String: Int]
    ) throws(ModelError) {
        var older: [Int] = []
        for name in joint.older {
            guard let slot = slot(of: name, in: stage.older) else {
                throw .unknownAttribute("\(before.name).\(name)")
            }
            older.append(slot)
        }
        for name in joint.newer where !after.fields.contains(where: { $0.name == name }) {
            throw .unknownAttribute("\(after.name).\(name)")
        }
        let directions = joint.directions(from: before, to: after)
        var (up, down): (Conversion, Conversion) = (
            KindTracer.lawful(directions.up), KindTracer.lawful(directions.down)
        )
        if let cases = joint.cases, let from = before.attribute(joint.older[0]),
            let to = after.attribute(joint.newer[0])
        {
            up = { [cases.newer(for: $0[0], in: to)] }
            down = { [cases.older(for: $0[0], in: from)] }
        }
        let newer = joint.newer.map { _ in newSlot() }
        for (name, slot) in zip(joint.newer, newer) { slots[name] = slot }
        steps[stage.newer - 1].append(.joined(older: older, newer: newer, up: up, down: down))
    }

    /// Returns a conversion that ends the process if a value cannot be converted.
    ///
    /// The server would quarantine a change with such a value. The model need not do so, because it is used only for
    /// plans that convert every value (law 6).
    private static func lawful(_ translate: @escaping @Sendable ([Value]) throws(LensFailure) -> [Value]) -> Conversion
    {
        { values in
            do throws(LensFailure) {
                return try translate(values)
            } catch {
                preconditionFailure("The model was given a lens that fails: \(error)")
            }
        }
    }

    /// Returns the slot (the index of a value in a record) that an attribute has in the newer version of a stage.
    ///
    /// If both versions allow the same values, they share one slot. Otherwise the newer version gets a new slot, and a
    /// conversion between both slots is recorded.
    ///
    /// - Parameters:
    ///   - was: the attribute in the older version.
    ///   - older: the attribute's slot in the older version.
    ///   - now: the attribute in the newer version.
    ///   - unknown: the enumeration case that the older version reads instead of cases that it does not have; `nil` if
    ///     the plan declares none.
    ///   - number: the index of the stage.
    private mutating func carry(
        _ was: Schema.Attribute, at older: Int, to now: Schema.Attribute, unknown: String?, _ number: Int
    ) -> Int {
        if was.holdsTheSame(as: now) { return older }
        let newer = newSlot()
        steps[number].append(
            .joined(
                older: [older], newer: [newer], up: { [now.reading($0[0], unknownCase: nil)] },
                down: { [was.reading($0[0], unknownCase: unknown)] }))
        return newer
    }

    private func unknownCase(_ path: String, _ stage: VersionTree.Stage) -> String? {
        for case .unknownCase(path, let fallback) in stage.instructions { return fallback }
        return nil
    }

    private mutating func remove(_ field: Schema.Attribute, of entity: Schema.Entity, _ stage: VersionTree.Stage)
        throws(ModelError)
    {
        guard let slot = slot(of: field.name, in: stage.older) else { return }
        var standard = field.default
        for case .substitute("\(entity.name).\(field.name)", let substitute) in stage.instructions {
            standard = substitute
        }
        guard case .attribute(let name)? = standard else {
            return steps[stage.newer - 1].append(.removed(slot, field, standard))
        }
        guard let source = self.slot(of: name, in: stage.older) else {
            throw .unknownAttribute("\(entity.name).\(name)")
        }
        steps[stage.newer - 1].append(.copied(slot, from: source))
    }

    // MARK: The outcome

    /// Returns the entity in all its versions, after all stages (migration steps) were recorded.
    ///
    /// - Parameter names: for each entity, its name in each shape (version or variant).
    func finished(_ names: [[String?]]) -> RecordKind {
        var kind = kind
        kind.fieldsByName = kind.fields.map { fields in
            Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.attribute.name, $0) })
        }
        kind.references = references(names)
        let newest = kind.fields[tree.versions - 1]
        kind.uniqueSlots = newest.filter(\.attribute.isUnique).map(\.slot)
        for shape in tree.schemas.indices {
            let hops = kind.names[shape] == nil ? [] : tree.hops(from: shape)
            kind.flows.append(hops.flatMap(flows))
            kind.beginnings.append(hops.flatMap(beginning))
        }
        kind.shapes = tree.schemas.indices.filter(tree.isServed)
        kind.rise = tree.hops(from: tree.newest).filter { $0.isUpward && !tree.isServed($0.to) }.flatMap(flows)
        traceRegisters(of: &kind)
        return kind
    }

    private func flows(_ hop: VersionTree.Hop) -> [RecordKind.Flow] {
        steps[hop.stage].compactMap { step in
            guard case .joined(let older, let newer, let up, let down) = step else { return nil }
            return hop.isUpward
                ? RecordKind.Flow(near: older, far: newer, convert: up)
                : RecordKind.Flow(near: newer, far: older, convert: down)
        }
    }

    /// Returns the steps that give initial values to the attributes of the schema shape to which a hop leads. A hop is
    /// a stage (migration step) in one direction.
    ///
    /// Copied attributes come last, because they get the final values of other attributes.
    private func beginning(_ hop: VersionTree.Hop) -> [RecordKind.BeginningStep] {
        var (fills, copies): ([RecordKind.BeginningStep], [RecordKind.BeginningStep]) = ([], [])
        for step in steps[hop.stage] {
            switch step {
            case .added(let slot, let attribute) where hop.isUpward:
                fills.append(.fill(slot, attribute, attribute.default))
            case .removed(let slot, let attribute, let standard) where !hop.isUpward:
                fills.append(.fill(slot, attribute, standard))
            case .copied(let slot, let source) where !hop.isUpward: copies.append(.copy(slot, from: source))
            case .added, .removed, .copied, .joined: break
            }
        }
        return fills + flows(hop).map { .follow($0) } + copies
    }

    /// Returns the entity's to-one relationships. Each has the delete rules of the newest version that has the
    /// relationship. The rules of a variant are used only if no version has it.
    ///
    /// - Parameter names: for each entity, its name in each shape (version or variant).
    private func references(_ names: [[String?]]) -> [RecordKind.Reference] {
        var found: [Int: RecordKind.Reference] = [:]
        for shape in Array(tree.versions..<tree.schemas.count) + Array(0..<tree.versions) {
            let schema = tree.schemas[shape]
            guard let entity = kind.names[shape].flatMap({ schema.entity($0) }) else { continue }
            for relationship in entity.relationships where relationship.cardinality == .toOne {
                guard let slot = slot(of: relationship.name, in: shape),
                    let target = names.firstIndex(where: { $0[shape] == relationship.target })
                else { continue }
                let inverse = schema.entity(relationship.target)?.relationships.first {
                    $0.name == relationship.inverse
                }
                found[slot] = RecordKind.Reference(
                    slot: slot, target: target, goesWithTarget: inverse?.deleteRule == .cascade,
                    takesTargetAlong: relationship.deleteRule == .cascade)
            }
        }
        return found.values.sorted { $0.slot < $1.slot }
    }
}

extension StageInstruction.Joint.Cases {
    /// Returns the enumeration case that the newer version reads instead of a case of the older version.
    ///
    /// A case that the plan maps becomes the case to which it is mapped. Any other case keeps its name if the newer
    /// version has that name; otherwise it becomes the newer version's case for unknown values.
    fileprivate func newer(for value: Value, in attribute: Schema.Attribute) -> Value {
        mapped(value, pairs.map { ($0.older, $0.newer) }, into: attribute, unknown: unknown.newer)
    }

    fileprivate func older(for value: Value, in attribute: Schema.Attribute) -> Value {
        mapped(value, pairs.map { ($0.newer, $0.older) }, into: attribute, unknown: unknown.older)
    }

    private func mapped(
        _ value: Value, _ table: [(String, String)], into attribute: Schema.Attribute, unknown: String
    ) -> Value {
        guard case .string(let raw) = value else { return attribute.type.isOptional ? .null : .string(unknown) }
        let name = table.first { $0.0.utf8.elementsEqual(raw.utf8) }?.1 ?? raw
        if case .enumeration(_, let cases) = attribute.type.kind, !cases.has(name) { return .string(unknown) }
        return .string(name)
    }
}
