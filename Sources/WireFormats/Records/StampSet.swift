/// The stamp of each merge unit of one record, and their compact stored form.
///
/// Most records are written whole, so they have one stamp: `base`. Beside it, a string of bytes says what has it: how
/// many bytes of bitmap follow, a bitmap of the units whose stamp is `base`, and ten bytes for each unit with another
/// one: its key (16 bits) and its stamp (64 bits), big-endian. What is in neither was never written: so is everything
/// that the hub got after the record was stored, and an edit of it that was made earlier than the record's latest still
/// wins.
///
/// A unit's key is its first column, whose place never changes (key 0 is the lowest bit of the bitmap's first byte); so
/// sets keep their meaning when the hub grows, and when a stage links units that were apart.
///
/// Other notes of a column are listed under it, with the key's second highest bit set; releases that do not know
/// of it pass over that.
///
/// A unit's stamp is the latest of its edits. Where its parts have others, each is listed under its own first column,
/// with the key's highest bit set. Without that bit a part's column is a key only in a record that was stored before a
/// stage linked the parts; then each part has the stamp that it had by itself.
public struct StampSet: Sendable {
    private var form: Form
    /// By the part's first column. A part that is not here has its unit's.
    private var parts: [Int: Stamp] = [:]
    /// By column. Of the key of a unit with a policy, see `floor`; of a column of what is edited as one, `.never` where
    /// nobody has said it, see `unsaid`.
    private var notes: [Int: Stamp] = [:]

    /// One stamp for all takes no array. It is also what a set with an array may have come to, so `form` is not
    /// compared.
    private enum Form {
        case same(Stamp, units: Int)
        /// By place in `HubEntity.units`.
        case each([Stamp])
    }

    /// - Parameter stamp: what all units have; `.never` where none was ever written.
    public init(units: Int, all stamp: Stamp = .never) {
        form = .same(stamp, units: units)
    }

    /// The stamps of a record that is new: nothing was said of it before its policies.
    ///
    /// - Parameter stamp: what all units have; `.never` where none was ever written.
    package init(of entity: HubEntity, all stamp: Stamp = .never) {
        self.init(units: entity.units.count, all: stamp)
        notes = entity.wholeNotes
    }

    /// By place in `HubEntity.units`.
    public var stamps: [Stamp] {
        switch form {
        case .same(let stamp, let units): Array(repeating: stamp, count: units)
        case .each(let stamps): stamps
        }
    }

    public subscript(unit: Int) -> Stamp {
        get {
            switch form {
            case .same(let stamp, let units):
                precondition(unit < units, "There is no such unit.")
                return stamp
            case .each(let stamps): return stamps[unit]
            }
        }
        set {
            if self[unit] == newValue { return }
            var stamps = stamps
            // The array is nobody else's while it is written to.
            form = .same(.never, units: 0)
            stamps[unit] = newValue
            form = .each(stamps)
        }
    }

    /// The stamps of a unit's parts, in their order.
    public func parts(of unit: Int, in entity: HubEntity) -> [Stamp] {
        entity.units[unit].parts.map { parts[$0[0]] ?? self[unit] }
    }

    /// Whether all of a unit has one stamp: it was last written as one.
    public func isOne(_ unit: Int, in entity: HubEntity) -> Bool {
        parts.isEmpty || entity.units[unit].parts.allSatisfy { parts[$0[0]] == nil }
    }

    /// Gives a unit's parts these stamps, and the unit the latest of them, if it has no later one.
    public mutating func setParts(of unit: Int, to stamps: [Stamp], in entity: HubEntity) {
        let latest = stamps.max() ?? .never
        self[unit] = max(self[unit], latest)
        let isOne = stamps.allSatisfy { $0 == self[unit] }
        for (part, stamp) in zip(entity.units[unit].parts, stamps) { parts[part[0]] = isOne ? nil : stamp }
    }

    /// Gives all of a unit one stamp.
    public mutating func setAll(of unit: Int, to stamp: Stamp, in entity: HubEntity) {
        self[unit] = stamp
        if !parts.isEmpty { for part in entity.units[unit].parts { parts[part[0]] = nil } }
    }

    /// The stamp with which the value of a column may be said again, and changes nothing: of a whole, the earliest of
    /// its parts', because to say it is to say each of them.
    public func stamp(of column: Int, unit: Int, in entity: HubEntity) -> Stamp {
        if parts.isEmpty || entity.units[unit].parts.isEmpty { return self[unit] }
        let stamps = self.parts(of: unit, in: entity)
        return entity.units[unit].part(of: column).map { stamps[$0] } ?? stamps.min() ?? self[unit]
    }

    /// The stamp that a unit had when its policy was declared. What is no later was decided by then, as of an attribute
    /// without a policy, and is not weighed. Where it is not noted, all that stands was said before.
    package func floor(of unit: Int, in entity: HubEntity) -> Stamp { notes[entity.units[unit].key] ?? self[unit] }

    package mutating func noteFloor(_ stamp: Stamp, of unit: Int, in entity: HubEntity) {
        // To write what is there would copy what all records share.
        if notes[entity.units[unit].key] != stamp { notes[entity.units[unit].key] = stamp }
    }

    /// The columns of what is edited as one of which nobody has said anything, though others of it were said.
    package func unsaid(in unit: HubEntity.MergeUnit) -> [Int] {
        notes.isEmpty ? [] : unit.columns.filter { notes[$0] != nil }
    }

    package mutating func setUnsaid(_ columns: [Int], in unit: HubEntity.MergeUnit) {
        if !notes.isEmpty { for column in unit.columns { notes[column] = nil } }
        for column in columns { notes[column] = .never }
    }

    /// The latest of all.
    public var latest: Stamp {
        switch form {
        case .same(let stamp, let units): units == 0 ? .never : stamp
        case .each(let stamps): stamps.max() ?? .never
        }
    }

    /// What all units have; `nil` where they differ.
    private var common: Stamp? {
        switch form {
        case .same(let stamp, _): stamp
        case .each(let stamps): stamps.allSatisfy { $0 == stamps[0] } ? stamps.first : nil
        }
    }

    /// Reads the stored form.
    ///
    /// - Parameter packed: empty where nothing but `base` is known, which is then every unit's; so it is where this is
    ///   no stored form, such as something that SQL wrote.
    public init(base: Stamp, packed: Span<UInt8>, units: [HubEntity.MergeUnit]) {
        guard StampSet.isWellFormed(packed) else {
            form = .same(base, units: units.count)
            return
        }
        let bitmapEnd = 1 + Int(packed[0])
        var stamps = units.map { unit in
            for column in unit.columns {
                let (byte, bit) = (1 + column / 8, column % 8)
                if byte < bitmapEnd, packed[byte] >> bit & 1 == 1 { return base }
            }
            return .never
        }
        for offset in stride(from: bitmapEnd, to: packed.count, by: StampSet.entrySizeBytes) {
            let key = Int(packed[offset]) << 8 | Int(packed[offset + 1])
            if key & StampSet.partBit != 0 {
                parts[key & ~StampSet.partBit] = StampSet.stamp(packed, at: offset)
                continue
            }
            if key & StampSet.noteBit != 0 {
                notes[key & ~StampSet.noteBit] = StampSet.stamp(packed, at: offset)
                continue
            }
            // Of units that a later stage linked, the latest stamp is that of the one that they became.
            guard let place = units.firstIndex(where: { $0.columns.contains(key) }) else { continue }
            stamps[place] = max(stamps[place], StampSet.stamp(packed, at: offset))
        }
        form = .each(stamps)
        // A later stage may have linked parts with more, so that all of it is edited as one.
        if !parts.isEmpty { parts = parts.filter { part, _ in units.contains { $0.part(startingAt: part) != nil } } }
        if !notes.isEmpty {
            notes = notes.filter { column, _ in units.contains { $0.isNoted(under: column) } }
        }
        for (place, unit) in units.enumerated() where !unit.parts.isEmpty {
            noteApart(unit, at: place, base: base, packed: packed)
        }
    }

    /// Notes the stamps of parts that had them by themselves when the record was stored, before a stage linked them.
    ///
    /// Where that is said of the first column only, all parts have its stamp, because so it is stored of a unit that
    /// was last written as one.
    private mutating func noteApart(_ unit: HubEntity.MergeUnit, at place: Int, base: Stamp, packed: Span<UInt8>) {
        let bitmapEnd = 1 + Int(packed[0])
        func own(_ key: Int) -> Stamp? {
            let (byte, bit) = (1 + key / 8, key % 8)
            if byte < bitmapEnd, packed[byte] >> bit & 1 == 1 { return base }
            for offset in stride(from: bitmapEnd, to: packed.count, by: StampSet.entrySizeBytes)
            where Int(packed[offset]) << 8 | Int(packed[offset + 1]) == key {
                return StampSet.stamp(packed, at: offset)
            }
            return nil
        }
        let stamps = unit.parts.map { own($0[0]) }
        let areApart = zip(unit.parts, stamps).contains { part, stamp in part[0] != unit.key && stamp != nil }
        guard areApart, stamps.contains(where: { $0 != self[place] }) else { return }
        for (part, stamp) in zip(unit.parts, stamps) { parts[part[0]] = stamp ?? .never }
    }

    /// The latest stamp of a stored form.
    public static func latest(base: Stamp, packed: Span<UInt8>) -> Stamp {
        guard isWellFormed(packed) else { return base }
        var latest = base
        for offset in stride(from: 1 + Int(packed[0]), to: packed.count, by: entrySizeBytes) {
            latest = max(latest, stamp(packed, at: offset))
        }
        return latest
    }

    /// Whether what follows the bitmap is whole entries.
    private static func isWellFormed(_ packed: Span<UInt8>) -> Bool {
        guard packed.count > 0 else { return false }
        let entriesSize = packed.count - 1 - Int(packed[0])
        return entriesSize >= 0 && entriesSize % entrySizeBytes == 0
    }

    private static let entrySizeBytes = 10
    /// No entity has so many columns: PostgreSQL's tables have 1,600 at most.
    private static let partBit = 1 << 15
    private static let noteBit = 1 << 14

    private static func stamp(_ packed: Span<UInt8>, at offset: Int) -> Stamp {
        var raw: Int64 = 0
        for index in offset + 2..<offset + entrySizeBytes { raw = raw << 8 | Int64(packed[index]) }
        return Stamp(stored: raw)
    }

    /// Reads the stored form of a record of `entity`.
    public init(base: Stamp, packed: Span<UInt8>, of entity: HubEntity) {
        let isWhole = entity.wholeStamps.withUnsafeBytes { whole in
            packed.withUnsafeBytes { Bytes.equal($0, whole) }
        }
        if isWhole {
            self.init(of: entity, all: base)
        } else {
            self.init(base: base, packed: packed, units: entity.units)
        }
    }

    /// The stored form for a record of `entity`: the stamp that most units share, and the bytes that say which.
    public func stored(of entity: HubEntity) -> (base: Stamp, packed: [UInt8]) {
        if let common, common != .never, parts.isEmpty, notes == entity.wholeNotes {
            return (common, entity.wholeStamps)
        }
        return stored(units: entity.units)
    }

    /// What says of a record with these units that all have one stamp, which is how most are stored.
    static func whole(units: [HubEntity.MergeUnit]) -> [UInt8] {
        var whole = StampSet(units: units.count, all: Stamp(unchecked: 1))
        whole.notes = wholeNotes(units: units)
        return whole.stored(units: units).packed
    }

    /// The notes of a record of which nothing was said before its policies.
    static func wholeNotes(units: [HubEntity.MergeUnit]) -> [Int: Stamp] {
        let keys = units.filter { $0.rule != .latest }.map(\.key)
        return Dictionary(keys.map { ($0, Stamp.never) }, uniquingKeysWith: { first, _ in first })
    }

    /// The stored form: the stamp that most units share, and the bytes that say which.
    public func stored(units: [HubEntity.MergeUnit]) -> (base: Stamp, packed: [UInt8]) {
        let stamps = stamps
        let base = StampSet.mostCommon(stamps)
        var bitmap: [UInt8] = []
        var entries: [UInt8] = []
        for (place, unit) in units.enumerated() where stamps[place] != .never {
            // The bitmap's length is one byte; a unit beyond it is listed.
            if stamps[place] == base, unit.key / 8 < Int(UInt8.max) {
                while bitmap.count <= unit.key / 8 { bitmap.append(0) }
                bitmap[unit.key / 8] |= 1 << (unit.key % 8)
            } else {
                StampSet.append(unit.key, stamps[place], to: &entries)
            }
        }
        for (column, stamp) in parts.sorted(by: { $0.key < $1.key }) {
            StampSet.append(column | StampSet.partBit, stamp, to: &entries)
        }
        for (column, stamp) in notes.sorted(by: { $0.key < $1.key }) {
            StampSet.append(column | StampSet.noteBit, stamp, to: &entries)
        }
        return (base, [UInt8(bitmap.count)] + bitmap + entries)
    }

    private static func append(_ key: Int, _ stamp: Stamp, to entries: inout [UInt8]) {
        entries.append(UInt8(truncatingIfNeeded: key >> 8))
        entries.append(UInt8(truncatingIfNeeded: key))
        for shift in stride(from: 56, through: 0, by: -8) {
            entries.append(UInt8(truncatingIfNeeded: stamp.rawValue >> shift))
        }
    }

    /// Never `.never` where any unit has a stamp, because that costs one bit and another stamp costs ten bytes.
    private static func mostCommon(_ stamps: [Stamp]) -> Stamp {
        var best = Stamp.never
        var bestCount = 0
        for (place, stamp) in stamps.enumerated() where stamp != .never && stamp != best {
            let count = stamps[place...].count { $0 == stamp }
            if count > bestCount || count == bestCount && stamp > best { (best, bestCount) = (stamp, count) }
        }
        return best
    }
}

extension StampSet: Hashable {
    public static func == (a: StampSet, b: StampSet) -> Bool {
        guard a.parts == b.parts, a.notes == b.notes else { return false }
        guard case (.same(let x, let count), .same(let y, let other)) = (a.form, b.form) else {
            return a.stamps == b.stamps
        }
        return count == other && (x == y || count == 0)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(stamps)
        hasher.combine(parts)
        hasher.combine(notes)
    }
}
