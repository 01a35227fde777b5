import WireFormats

/// Of two edits the later stands, of equal ones what says more, else the greater value (R1).
extension ModelRecord {
    // MARK: What is edited as one

    /// - Parameter repeating: the places of which the edits say what their device holds and reads there (R4).
    mutating func take(
        _ edits: [Edit], repeating: [Int], in register: Int, of kind: RecordKind, by shape: Int, at stamp: Stamp
    ) {
        if stamp > stamps[register] {
            let news = edits.filter { !repeating.contains($0.place) }
            if !news.isEmpty { write(news, of: kind, by: shape) }
            noteSaid(edits.map(\.place), in: register, of: kind, by: shape, isFirst: stamps[register] == .never)
            // A repetition is the latest word, too.
            stamps[register] = stamp
        } else if stamp == stamps[register] {
            // What is equal is left alone, whoever sends it.
            if edits.contains(where: { $0.value != values[$0.place] }) {
                var candidate = self
                candidate.write(edits, of: kind, by: shape)
                let rules = kind.registers[register]
                guard isBeaten(by: candidate.values, among: rules.places, of: kind) else { return }
                self = candidate
            }
            noteSaid(edits.map(\.place), in: register, of: kind, by: shape, isFirst: false)
        }
    }

    // MARK: Wholes

    /// An edit of a whole is one of each of its parts, of what it converts to.
    mutating func take(
        _ edit: Edit, isRepeated: Bool, of number: Int, _ kind: RecordKind, by shape: Int, at stamp: Stamp
    ) {
        let whole = kind.wholes[number]
        if isRepeated {
            for part in whole.parts { stamps[part] = max(stamps[part], stamp) }
            return
        }
        var made = self
        made.write([edit], of: kind, by: shape)
        if whole.parts.allSatisfy({ stamps[$0] == stamp }) {
            if isBeaten(by: made.values, among: whole.linked, of: kind) { self = made }
            return
        }
        let isDecided = isOutdone(whole, at: stamp)
        let won = whole.parts.filter { part in
            isDecided ? stamp > stamps[part] : wins(made.values, in: part, of: kind, at: stamp)
        }
        if won.isEmpty { return }
        // Where a part says the same with the same stamp, it is this edit that stands, because it says more.
        let isSame = { (values: Values, part: Int) in
            kind.registers[part].places.allSatisfy { values[$0] == made.values[$0] }
        }
        let others = whole.parts.filter { !won.contains($0) }
        let before = (values, stamps)
        if others.allSatisfy({ before.1[$0] == stamp && isSame(before.0, $0) }) {
            values = made.values
        } else {
            for part in won {
                for place in kind.registers[part].places { values[place] = made.values[place] }
            }
            for flow in whole.back { follow(flow) }
        }
        for part in won { stamps[part] = stamp }
    }

    /// Edits of all parts at once, which are decided like one of the whole where another such has their stamp.
    ///
    /// - Returns: the parts of which that has decided.
    mutating func takeTogether(
        _ edits: [Edit], of number: Int, _ kind: RecordKind, by shape: Int, at stamp: Stamp
    ) -> [Int] {
        let whole = kind.wholes[number]
        let saysAll = whole.parts.allSatisfy { part in
            edits.contains { kind.registers[part].places.contains($0.place) }
        }
        guard saysAll else { return [] }
        if isOutdone(whole, at: stamp) { return whole.parts.filter { stamps[$0] == stamp } }
        guard whole.parts.allSatisfy({ stamps[$0] == stamp }) else { return [] }
        // What is equal is left alone in all forms.
        if edits.allSatisfy({ $0.value == values[$0.place] }) { return whole.parts }
        var made = self
        made.write(edits, of: kind, by: shape)
        if isBeaten(by: made.values, among: whole.linked, of: kind) { self = made }
        return whole.parts
    }

    /// Whether a part has been edited later. What is left of the edit of all parts that stood before then stands
    /// against its equals.
    private func isOutdone(_ whole: RecordKind.Whole, at stamp: Stamp) -> Bool {
        whole.parts.contains { stamps[$0] > stamp }
    }

    private func wins(_ others: Values, in part: Int, of kind: RecordKind, at stamp: Stamp) -> Bool {
        if stamp != stamps[part] { return stamp > stamps[part] }
        let rules = kind.registers[part]
        return isBeaten(by: others, among: rules.places, of: kind)
    }

    // MARK: Equal stamps

    /// Whether other values of these places stand against those that are there: by the order that the page gives.
    func isBeaten(by others: Values, among places: [Int], of kind: RecordKind) -> Bool {
        let (mine, other) = (
            ModelRecord.told(values, among: places, of: kind), ModelRecord.told(others, among: places, of: kind)
        )
        for place in places where mine[place] != other[place] { return mine[place].precedes(other[place]) }
        if let isRicher = isRicher(than: others, among: places, of: kind) { return !isRicher }
        for place in places where values[place] != others[place] { return values[place].precedes(others[place]) }
        return false
    }

    /// Whether more forms come of what is here than of others, were versions to write back what they read of it, and of
    /// what comes of that; `nil` where as many do.
    func isRicher(than others: Values, among places: [Int], of kind: RecordKind) -> Bool? {
        let counts = [values, others].map { values in
            var seen: Set<[Value]> = [places.map { values[$0] }]
            var open = [values]
            while let next = open.popLast(), seen.count < 32 {
                for shape in kind.shapes {
                    guard let made = ModelRecord.writtenBack(next, among: places, of: kind, by: shape) else { continue }
                    if seen.insert(places.map { made[$0] }).inserted { open.append(made) }
                }
            }
            return seen.count
        }
        return counts[0] == counts[1] ? nil : counts[0] > counts[1]
    }

    /// What stays after each version in turn has written back what it reads.
    static func told(_ values: Values, among places: [Int], of kind: RecordKind) -> Values {
        kind.shapes.reduce(values) { writtenBack($0, among: places, of: kind, by: $1) ?? $0 }
    }

    private static func writtenBack(
        _ values: Values, among places: [Int], of kind: RecordKind, by shape: Int
    ) -> Values? {
        let seen = kind.fields[shape].filter { places.contains($0.place) }
            .map { Edit(place: $0.place, value: values[$0.place]) }
        return seen.isEmpty ? nil : fresh(seen, of: kind, by: shape, id: ID(high: 0, low: 0), at: .never)
    }

    // MARK: Writing

    /// What one version writes, and what follows from it for all that stages link with it, anew: also where a form
    /// comes out as it was, those beyond it follow; but not where only some of those that a stage joins were written.
    /// What a device repeats does not get here.
    mutating func write(_ edits: [Edit], of kind: RecordKind, by shape: Int) {
        var touched: Set<Int> = []
        for edit in edits {
            values[edit.place] = edit.value
            touched.insert(edit.place)
        }
        for flow in kind.flows[shape] where flow.near.contains(where: touched.contains) {
            let isSaid = flow.near.allSatisfy(touched.contains)
            let before = flow.far.map { values[$0] }
            follow(flow)
            touched.formUnion(zip(flow.far, before).filter { isSaid || values[$0] != $1 }.map(\.0))
        }
    }

    mutating func follow(_ flow: RecordKind.Flow) {
        for (place, value) in zip(flow.far, flow.convert(flow.near.map { values[$0] })) { values[place] = value }
    }
}
