import StrictJSON
import WireFormats

/// The merge policies `max`, `min`, `union` and `counter`. Their outcome depends on the set of all edits, not on the
/// order (`docs/protocol.md`, *Merging*).
extension ModelRecord {
    /// The identity of one addition to a counter. By it, an addition that arrives again is recognised.
    struct Increment: Hashable {
        let register: Int
        /// The device that sent the addition; `nil` if the request had no `Device-Id`.
        ///
        /// It is also `nil` for the initial value in a creation. So this value counts only once, even if several
        /// devices send the creation.
        let device: ID?
        /// The stamp that the device sent. If the server has replaced it, this is still the device's own stamp.
        let stamp: Stamp
    }

    // MARK: The greatest, the least, and all

    /// Merges an edit by the policy `max`, `min` or `union`. These policies compare values, not stamps.
    ///
    /// The register's stamp becomes the latest stamp of all its edits. A register is a set of attributes that are
    /// merged as one unit.
    ///
    /// - Parameter register: the index of the register.
    mutating func weigh(_ edit: Edit, in register: Int, _ said: Said, of kind: RecordKind, at stamp: Stamp) {
        let rules = kind.registers[register]
        if stamp <= floors[register] { return }
        let isFirst = stamps[register] == .never
        stamps[register] = max(stamps[register], stamp)
        var candidate = self
        candidate.write([edit], of: kind, by: said.shape)
        if rules.policy == .union {
            let before = isFirst ? .null : values[rules.ruling.slot]
            let news = elements(of: candidate.values[rules.ruling.slot], in: register, of: kind)
            // A value from before the policy keeps its order until an element is added.
            if !before.isNull, news.isSubset(of: elements(of: before, in: register, of: kind)) { return }
            self = candidate
            return join(before, in: register, of: kind)
        }
        // A default does not count as a written value.
        if isFirst || isBettered(by: candidate.values, in: register, of: kind) { self = candidate }
    }

    /// Returns true if the other values win against the record's present values by the register's policy, `max` or
    /// `min`.
    private func isBettered(by others: Values, in register: Int, of kind: RecordKind) -> Bool {
        let rules = kind.registers[register]
        let ruling = rules.ruling.slot
        func gives(_ mine: Value, wayTo other: Value) -> Bool? {
            if mine == other { return nil }
            if mine.isNull || other.isNull { return mine.isNull }
            return rules.policy == .max ? mine.precedes(other) : other.precedes(mine)
        }
        if values[ruling].isNull != others[ruling].isNull { return values[ruling].isNull }
        let written = [values, others].map { ModelRecord.writtenBack($0, among: rules.slots, of: kind)[ruling] }
        return gives(written[0], wayTo: written[1])
            ?? isRicher(than: others, among: rules.slots, of: kind).map { !$0 }
            ?? gives(values[ruling], wayTo: others[ruling]) ?? isBeaten(by: others, among: rules.slots, of: kind)
    }

    /// Adds the elements of another array to the array of a register with the policy `union`.
    mutating func join(_ other: Value, in register: Int, of kind: RecordKind) {
        let ruling = kind.registers[register].ruling
        let arrays = [values[ruling.slot], other].filter { !$0.isNull }
        if arrays.isEmpty { return }
        let all = Set(arrays.flatMap { elements(of: $0, in: register, of: kind) }).sorted { $0.precedes($1) }
        let text = JSONWriter.text { writer in
            writer.beginArray()
            for value in all { writer.value(value) }
            writer.endArray()
        }
        write([Edit(slot: ruling.slot, value: .json(text))], of: kind, by: ruling.shape)
    }

    private func elements(of array: Value, in register: Int, of kind: RecordKind) -> Set<Value> {
        let ruling = kind.registers[register].ruling
        guard let field = kind.fields[ruling.shape].first(where: { $0.slot == ruling.slot }),
            case .array(let element) = field.attribute.type.kind
        else { preconditionFailure("only arrays have a union") }
        return Set(ModelRecord.elements(of: array, as: element))
    }

    private static func elements(of array: Value, as element: AttributeType.Kind) -> [Value] {
        guard case .json(let text) = array, let root = try? JSONDocument(parsing: Array(text.utf8)).root,
            let nodes = root.elements
        else { return [] }
        let type: AttributeType =
            switch element {
            case .bool: .bool
            case .int: .int
            case .double: .double
            case .decimal: .decimal
            case .string: .string
            case .date: .date
            case .uuid: .uuid
            case .data: .data
            case .enumeration(let name, let cases): .enumeration(name, cases)
            case .array, .codable, .reference: preconditionFailure("a union is of scalars")
            }
        return nodes.compactMap { try? ValueReader.read($0, as: type) }
    }

    // MARK: Counters

    /// Applies the effect of a change on counters.
    ///
    /// Increments are added to the counter, and so is the initial value in a creation. A version in which the attribute
    /// is no counter may update it; such an update sets the counter's value.
    ///
    /// - Parameter edits: the change's edits of attributes that are counters in the newest version.
    mutating func count(_ edits: [Edit], _ said: Said, of kind: RecordKind, at stamp: Stamp) {
        let sent = said.sent ?? stamp
        for (register, amount) in said.increments {
            add(amount, at: stamp, as: Increment(register: register, device: said.device, stamp: sent), of: kind)
        }
        for edit in edits {
            guard case .register(let register) = kind.owners[edit.slot] else { continue }
            // A whole record repeats its counters, even if no record with its id exists.
            if edit.isOfCounter, said.operation == .update { continue }
            let isBeginning = edit.isOfCounter || said.operation == .create
            let increment = Increment(register: register, device: isBeginning ? nil : said.device, stamp: sent)
            guard case .int(let number) = edit.value, stamp > floors[register],
                isBeginning || stamp >= stamps[register]
            else { continue }
            if isBeginning {
                add(number, at: stamp, as: increment, of: kind)
            } else if case .int(let now) = values[edit.slot] {
                add(number &- now, at: stamp, as: increment, of: kind)
            }
        }
    }

    private mutating func add(
        _ amount: Int64, at stamp: Stamp, as increment: Increment, of kind: RecordKind
    ) {
        let register = increment.register
        // An increment without a stamp is another one each time that it is sent.
        guard increment.stamp == .never || counted.insert(increment).inserted else { return }
        stamps[register] = max(stamps[register], stamp)
        let ruling = kind.registers[register].ruling
        guard case .int(let sum) = values[ruling.slot] else { preconditionFailure("only whole numbers count") }
        write([Edit(slot: ruling.slot, value: .int(sum &+ amount))], of: kind, by: ruling.shape)
    }
}

extension RecordKind {
    func isCounter(_ slot: Int) -> Bool {
        if case .register(let register) = owners[slot] { registers[register].policy == .counter } else { false }
    }
}
