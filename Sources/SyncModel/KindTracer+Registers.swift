import WireFormats

/// The search for the attributes that are merged as one unit. It also finds parts: attributes into which a stage
/// (migration step) splits one attribute (`docs/internals/rows.md`, *Parts*).
extension KindTracer {
    /// A stage (migration step) that splits one attribute (the whole) into several (its parts), or joins several into
    /// one.
    private struct Fan {
        let whole: Int
        let parts: [Int]
        /// The index of the schema shape (version or variant) in which the attribute is split into the parts.
        let shape: Int
    }

    func traceRegisters(of kind: inout RecordKind) {
        let groups = groups
        kind.owners = groups.map { _ in .register(0) }
        for first in Set(groups).sorted() {
            let linked = groups.indices.filter { groups[$0] == first }
            if let fan = fan(among: linked) {
                addWhole(fan, linked, to: &kind)
            } else {
                add(linked, partOf: nil, to: &kind)
            }
        }
    }

    /// For each slot (the index of a value in a record), the number of its group. Slots belong to one group if stages
    /// (migration steps) link them, directly or through other slots. The smallest slot of a group is its number.
    private var groups: [Int] {
        var groups = Array(0..<slotsCount)
        for case .joined(let older, let newer, _, _) in knownSteps.flatMap(\.steps) {
            let linked = Set((older + newer).map { groups[$0] })
            guard let first = linked.min() else { continue }
            for slot in groups.indices where linked.contains(groups[slot]) { groups[slot] = first }
        }
        return groups
    }

    /// The stages (migration steps) to versions that the server knows, with their effects on this entity.
    ///
    /// Other stages are left out. If only such a stage links two attributes, the server still merges the attributes
    /// separately.
    private var knownSteps: [(stage: VersionTree.Stage, steps: [Step])] {
        zip(tree.stages, steps).filter { tree.isServed($0.0.newer) }.map { ($0, $1) }
    }

    /// Returns the stage (migration step) that splits one of the attributes at these slots into several, or joins
    /// several into one. Returns `nil` if there is none.
    ///
    /// Also returns `nil` if there are several such stages, or if a stage links several attributes with several others.
    /// In these two cases, all the attributes are merged as one unit.
    private func fan(among linked: [Int]) -> Fan? {
        var fans: [Fan] = []
        for (stage, steps) in knownSteps {
            for case .joined(let older, let newer, _, _) in steps
            where linked.contains(older[0]) && older.count + newer.count > 2 {
                guard older.count == 1 || newer.count == 1 else { return nil }
                let isSplit = older.count == 1
                fans.append(
                    Fan(
                        whole: isSplit ? older[0] : newer[0], parts: isSplit ? newer : older,
                        shape: isSplit ? stage.newer : stage.older))
            }
        }
        return fans.count == 1 ? fans[0] : nil
    }

    private func addWhole(_ fan: Fan, _ linked: [Int], to kind: inout RecordKind) {
        let number = kind.wholes.count
        let parts = fan.parts.map { add(forms(of: $0), partOf: number, to: &kind) }
        let slots = byAge(forms(of: fan.whole), kind)
        kind.wholes.append(
            RecordKind.Whole(
                slots: slots, parts: parts, linked: parts.flatMap { kind.registers[$0].slots } + slots,
                back: kind.flows[fan.shape].filter { flow in flow.far.allSatisfy(slots.contains) }))
        for slot in slots { kind.owners[slot] = .whole(number) }
    }

    @discardableResult
    private func add(_ slots: [Int], partOf whole: Int?, to kind: inout RecordKind) -> Int {
        let number = kind.registers.count
        let ruling = ruling(slots, of: kind)
        kind.registers.append(
            RecordKind.Register(
                slots: byAge(slots, kind), policy: ruling.field.attribute.merge,
                ruling: (ruling.shape, ruling.field.slot), whole: whole))
        for slot in slots { kind.owners[slot] = .register(number) }
        return number
    }

    /// Returns the slots (indices of values in a record) of all forms of one attribute, in ascending order.
    ///
    /// They are the given slot, and all slots that are linked with it by one-to-one conversions, directly or through
    /// other slots.
    private func forms(of slot: Int) -> [Int] {
        var found = [slot]
        var next = 0
        while next < found.count {
            for (_, steps) in knownSteps {
                for case .joined(let older, let newer, _, _) in steps where older.count + newer.count == 2 {
                    let pair = [older[0], newer[0]]
                    guard pair.contains(found[next]) else { continue }
                    found += pair.filter { !found.contains($0) }
                }
            }
            next += 1
        }
        return found.sorted()
    }

    /// Returns the version whose merge policy applies to the slots, and the attribute that declares the policy. This is
    /// the newest version that has an attribute at one of the slots.
    ///
    /// Versions that the server knows come first, then variants that it knows, and then all others.
    ///
    /// - Parameter slots: indices of values in a record, which are merged as one unit.
    private func ruling(_ slots: [Int], of kind: RecordKind) -> (shape: Int, field: RecordKind.Field) {
        let shapes = Array((0..<tree.versions).reversed()) + Array(tree.versions..<tree.schemas.count)
        for shape in shapes.filter(tree.isServed) + shapes.filter({ !tree.isServed($0) }) {
            if let field = kind.fields[shape].first(where: { slots.contains($0.slot) }) { return (shape, field) }
        }
        preconditionFailure("no shape has the slots \(slots)")
    }

    /// Returns the slots (indices of values in a record) in the order in which the attributes were added to the app.
    /// Slots that only variants have come last.
    private func byAge(_ slots: [Int], _ kind: RecordKind) -> [Int] {
        var ordered: [Int] = []
        for fields in kind.fields {
            ordered += fields.map(\.slot).filter { slots.contains($0) && !ordered.contains($0) }
        }
        return ordered
    }
}
