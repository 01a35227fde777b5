/// A random test case: the history of one record. A version creates the record, several versions edit it, and finally
/// the version under test writes back some fields as it has read them.
struct LawCase: Sendable {
    var record: RecordContext
    var creator: Int
    var creation: [LawEdit]
    /// The changes to the record after its creation. Each is made by one version, the last by the version under test.
    var puts: [Put]
    /// The fields that the version under test reads and writes back unchanged at the end of the case: one bit for each
    /// field. This must have no effect (law 1).
    var echoed: UInt64

    struct Put: Sendable {
        var version: Int
        var edits: [LawEdit]
    }
}

/// An edit of one field. It may repeat the field's current value, like an edit of a client that sends back what it was
/// sent.
struct LawEdit: Sendable {
    let field: Int
    /// The new value; `nil` to repeat the value that the version reads at that moment.
    var value: Value?

    func resolved(in row: [Value], by view: LawView) -> FieldEdit {
        FieldEdit(field: field, value: value ?? view.value(field, of: row))
    }
}

/// A generator of random cases for one entity.
struct LawCaseGenerator: Sendable {
    /// The versions and historical variants that have the entity, as indices in `Plan.shapes`.
    let versions: [Int]
    /// By version, then by field: the generator of random values for the field.
    let generators: [[ValueGenerator]]
    let focus: Int

    init(_ entity: ChainEntity, focus: Int) {
        let telling = TellingValues(entity)
        versions = entity.names.indices.filter { !entity.fields[$0].isEmpty }
        generators = entity.fields.indices.map { telling.generators(entity, version: $0) }
        self.focus = focus
    }

    func next(using random: inout SplitMix64) -> LawCase {
        let record = RecordContext(
            id: .random(using: &random), createdAt: Timestamp(microseconds: Int64(random.next() >> 14)))
        let creator = version(using: &random)
        var puts: [LawCase.Put] = []
        for _ in 0..<random.below(3) {
            let version = version(using: &random)
            puts.append(LawCase.Put(version: version, edits: edits(by: version, oneIn: 4, using: &random)))
        }
        puts.append(LawCase.Put(version: focus, edits: edits(by: focus, oneIn: 3, using: &random)))
        return LawCase(
            record: record, creator: creator, creation: creationEdits(by: creator, using: &random), puts: puts,
            echoed: random.next())
    }

    private func version(using random: inout SplitMix64) -> Int {
        random.next() & 3 == 0 ? focus : versions[random.below(versions.count)]
    }

    /// Draws the values with which `version` creates the record, for about three of four attributes. The other
    /// attributes get their defaults.
    private func creationEdits(by version: Int, using random: inout SplitMix64) -> [LawEdit] {
        generators[version].indices.compactMap { field in
            guard random.next() & 3 != 0 else { return nil }
            return LawEdit(field: field, value: generators[version][field].value(using: &random))
        }
    }

    /// Draws edits: each attribute is edited with the probability 1/`share`, and at least one is. A fifth of the edits
    /// repeat the attribute's current value.
    private func edits(by version: Int, oneIn share: Int, using random: inout SplitMix64) -> [LawEdit] {
        let sure = random.below(generators[version].count)
        return generators[version].indices.compactMap { field in
            guard random.below(share) == 0 || field == sure else { return nil }
            if random.below(5) == 0 { return LawEdit(field: field, value: nil) }
            return LawEdit(field: field, value: generators[version][field].value(using: &random))
        }
    }
}
