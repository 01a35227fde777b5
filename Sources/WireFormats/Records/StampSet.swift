import StrictJSON

/// The stamps of one record, with a compact stored form. Each merge unit, which is a set of columns that are merged as
/// one, has a stamp: the time of its latest edit.
///
/// Most records are written as a whole, so all of their units have one stamp. The stored form is this stamp, called
/// `base`, and a string of bytes:
///
/// - one byte: the length of the bitmap in bytes
/// - the bitmap of the units whose stamp is `base`
/// - ten bytes for each unit with another stamp: the unit's key (16 bits) and the stamp (64 bits), big-endian
///
/// A unit in neither list was never written: nobody has set it, or it was added to the tables after the record was
/// stored. An edit of such a unit wins even if it was made before the record's latest edit.
///
/// A unit's key is the index of its first column, which never changes. Key 0 is the lowest bit of the bitmap's first
/// byte. So a stored set keeps its meaning when the tables get new columns, and when a stage links units that were
/// separate.
///
/// Notes record two facts that the stamps do not show: since when a unit's merge policy applies (see `floor`), and
/// which columns of a unit nobody has set (see `unsaid`). Notes are listed like stamps, with the column as the key, and
/// with the key's second highest bit set. Releases that do not know this bit skip such entries.
///
/// Parts are attributes of a unit that have stamps of their own. The unit's stamp is then that of its latest edit. A
/// part with another stamp is listed under the part's first column, with the key's highest bit set.
///
/// A record may have been stored when the parts were still separate units. Each part is then listed like a unit,
/// without this bit, and keeps the stamp that is stored for it.
package struct StampSet: Sendable {
    private var form: Form
    /// The stamps of parts (attributes of a merge unit that have stamps of their own), by the part's first column. A
    /// part that is not listed has its unit's stamp.
    private var parts: [Int: Stamp] = [:]
    /// The notes, by column. A note records one of two facts. For a merge unit with a merge policy, it is the stamp
    /// that `floor` returns, under the unit's first column. For a unit whose attributes share one stamp, it is
    /// `.never`, under each column that nobody has set.
    private var notes: [Int: Stamp] = [:]

    /// The form of the stamps in memory. It needs no array if all merge units have one stamp. An array may hold equal
    /// stamps too, so equal sets may differ in their form.
    private enum Form {
        case same(Stamp, units: Int)
        /// The stamp of each merge unit, by index in `HubEntity.units`.
        case each([Stamp])
    }

    /// Makes a set in which all merge units (sets of columns that one stamp covers) have one stamp.
    ///
    /// - Parameter stamp: the stamp of all units; `.never` if none was ever written.
    package init(units: Int, all stamp: Stamp = .never) {
        form = .same(stamp, units: units)
    }

    /// Makes the stamps of a new record. The merge policies that `entity` has now apply to all edits of the record.
    ///
    /// - Parameter stamp: the stamp of all merge units; `.never` if none was ever written.
    package init(of entity: HubEntity, all stamp: Stamp = .never) {
        self.init(units: entity.units.count, all: stamp)
        notes = entity.wholeNotes
    }

    /// The stamp of each merge unit (set of columns that one stamp covers), by index in `HubEntity.units`.
    package var stamps: [Stamp] {
        switch form {
        case .same(let stamp, let units): Array(repeating: stamp, count: units)
        case .each(let stamps): stamps
        }
    }

    package subscript(unit: Int) -> Stamp {
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
            // The array must have one owner while it is written to, so that it is not copied.
            form = .same(.never, units: 0)
            stamps[unit] = newValue
            form = .each(stamps)
        }
    }

    /// Returns the stamps of a merge unit's parts, in the order of `MergeUnit.parts`. A part is an attribute of the
    /// unit with a stamp of its own.
    package func parts(of unit: Int, in entity: HubEntity) -> [Stamp] {
        entity.units[unit].parts.map { parts[$0[0]] ?? self[unit] }
    }

    /// Returns true if the merge unit and all of its parts have the same stamp, because one edit last wrote the whole
    /// unit. A part is an attribute of the unit with a stamp of its own.
    package func isOne(_ unit: Int, in entity: HubEntity) -> Bool {
        parts.isEmpty || entity.units[unit].parts.allSatisfy { parts[$0[0]] == nil }
    }

    /// Sets the stamps of a merge unit's parts, which are attributes with stamps of their own. If the latest of them is
    /// later than the unit's stamp, it becomes the unit's stamp too.
    package mutating func setParts(of unit: Int, to stamps: [Stamp], in entity: HubEntity) {
        let latest = stamps.max() ?? .never
        self[unit] = max(self[unit], latest)
        let isOne = stamps.allSatisfy { $0 == self[unit] }
        for (part, stamp) in zip(entity.units[unit].parts, stamps) { parts[part[0]] = isOne ? nil : stamp }
    }

    /// Sets one stamp for a merge unit and for all of its parts (attributes with stamps of their own).
    package mutating func setAll(of unit: Int, to stamp: Stamp, in entity: HubEntity) {
        self[unit] = stamp
        if !parts.isEmpty { for part in entity.units[unit].parts { parts[part[0]] = nil } }
    }

    /// Returns the stamp of a column's value, as it is sent to devices. Writing the same value again with this stamp
    /// changes nothing.
    ///
    /// If the merge unit has no parts (attributes with stamps of their own), this is the unit's stamp. If the column
    /// belongs to a part, it is the part's stamp. A column outside the parts holds the attribute that a stage has split
    /// into the parts, or joined from them. Its stamp is the earliest of the parts' stamps, because setting this
    /// attribute sets every part.
    package func stamp(of column: Int, unit: Int, in entity: HubEntity) -> Stamp {
        if parts.isEmpty || entity.units[unit].parts.isEmpty { return self[unit] }
        let stamps = self.parts(of: unit, in: entity)
        return entity.units[unit].part(of: column).map { stamps[$0] } ?? stamps.min() ?? self[unit]
    }

    /// Returns the stamp that a merge unit had when the merge policy of its attribute was declared.
    ///
    /// The policy applies only to edits after this stamp. Before it, the latest edit won. If no stamp is noted, the
    /// current value was set before the policy was declared, so the unit's own stamp is returned.
    package func floor(of unit: Int, in entity: HubEntity) -> Stamp { notes[entity.units[unit].key] ?? self[unit] }

    package mutating func noteFloor(_ stamp: Stamp, of unit: Int, in entity: HubEntity) {
        // Writing an equal value would still copy the dictionary that all records share.
        if notes[entity.units[unit].key] != stamp { notes[entity.units[unit].key] = stamp }
    }

    /// Returns the columns of a merge unit that nobody has set, although other columns of the unit were set. The unit's
    /// one stamp does not tell which columns were set, so the columns that were not set are stored as notes.
    package func unsaid(in unit: HubEntity.MergeUnit) -> [Int] {
        notes.isEmpty ? [] : unit.columns.filter { notes[$0] != nil }
    }

    package mutating func setUnsaid(_ columns: [Int], in unit: HubEntity.MergeUnit) {
        if !notes.isEmpty { for column in unit.columns { notes[column] = nil } }
        for column in columns { notes[column] = .never }
    }

    /// The latest of the stamps of all merge units.
    package var latest: Stamp {
        switch form {
        case .same(let stamp, let units): units == 0 ? .never : stamp
        case .each(let stamps): stamps.max() ?? .never
        }
    }

    /// The one stamp that all merge units have; `nil` if their stamps differ.
    private var common: Stamp? {
        switch form {
        case .same(let stamp, _): stamp
        case .each(let stamps): stamps.allSatisfy { $0 == stamps[0] } ? stamps.first : nil
        }
    }

    /// Reads the stored form of a record's stamps.
    ///
    /// - Parameters:
    ///   - base: the stamp that most merge units have.
    ///   - packed: the bytes that list the units with other stamps. If they are empty, or malformed because SQL wrote
    ///     them, every unit has the stamp `base`.
    ///   - units: the merge units of the record's entity. A merge unit is a set of columns that one stamp covers.
    package init(base: Stamp, packed: Span<UInt8>, units: [HubEntity.MergeUnit]) {
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
            // If a later stage linked several units, the linked unit has the latest of their stamps.
            guard let index = units.firstIndex(where: { $0.columns.contains(key) }) else { continue }
            stamps[index] = max(stamps[index], StampSet.stamp(packed, at: offset))
        }
        form = .each(stamps)
        // A later stage may have linked parts with other attributes, so that all of the unit is edited as one.
        if !parts.isEmpty { parts = parts.filter { part, _ in units.contains { $0.part(startingAt: part) != nil } } }
        if !notes.isEmpty {
            notes = notes.filter { column, _ in units.contains { $0.isNoted(under: column) } }
        }
        for (index, unit) in units.enumerated() where !unit.parts.isEmpty {
            noteApart(unit, at: index, base: base, packed: packed)
        }
    }

    /// Restores the stamps of the parts of a merge unit, for a record that was stored when each part was a merge unit
    /// by itself.
    ///
    /// If the stored form has a stamp only under the unit's first column, it is the stamp of all parts. The unit then
    /// counts as last written as a whole.
    private mutating func noteApart(_ unit: HubEntity.MergeUnit, at index: Int, base: Stamp, packed: Span<UInt8>) {
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
        guard areApart, stamps.contains(where: { $0 != self[index] }) else { return }
        for (part, stamp) in zip(unit.parts, stamps) { parts[part[0]] = stamp ?? .never }
    }

    /// Returns the latest stamp in a stored form.
    package static func latest(base: Stamp, packed: Span<UInt8>) -> Stamp {
        guard isWellFormed(packed) else { return base }
        var latest = base
        for offset in stride(from: 1 + Int(packed[0]), to: packed.count, by: entrySizeBytes) {
            latest = max(latest, stamp(packed, at: offset))
        }
        return latest
    }

    /// Returns true if `packed` has the structure of the stored form: the bitmap's length, the bitmap, and after it
    /// only entries of full length.
    private static func isWellFormed(_ packed: Span<UInt8>) -> Bool {
        guard packed.count > 0 else { return false }
        let entriesSize = packed.count - 1 - Int(packed[0])
        return entriesSize >= 0 && entriesSize % entrySizeBytes == 0
    }

    private static let entrySizeBytes = 10
    /// The bit that marks an entry of the stored form as the stamp of a part. No column's index has this bit, because
    /// PostgreSQL's tables have at most 1,600 columns.
    private static let partBit = 1 << 15
    private static let noteBit = 1 << 14

    private static func stamp(_ packed: Span<UInt8>, at offset: Int) -> Stamp {
        var raw: Int64 = 0
        for index in offset + 2..<offset + entrySizeBytes { raw = raw << 8 | Int64(packed[index]) }
        return Stamp(stored: raw)
    }

    /// Reads the stamps of a record of `entity` from the form that `stored(of:)` returns.
    package init(base: Stamp, packed: Span<UInt8>, of entity: HubEntity) {
        let isWhole = entity.wholeStamps.withUnsafeBytes { whole in
            packed.withUnsafeBytes { Bytes.equal($0, whole) }
        }
        if isWhole {
            self.init(of: entity, all: base)
        } else {
            self.init(base: base, packed: packed, units: entity.units)
        }
    }

    /// Returns the stored form of these stamps, for a record of `entity`. `base` is the stamp that most merge units
    /// have. `packed` lists the units with other stamps.
    package func stored(of entity: HubEntity) -> (base: Stamp, packed: [UInt8]) {
        if let common, common != .never, parts.isEmpty, notes == entity.wholeNotes {
            return (common, entity.wholeStamps)
        }
        return stored(units: entity.units)
    }

    /// Returns the bytes that are stored for a record whose merge units all have the same stamp, as in most records.
    /// The bytes do not depend on the stamp, which is stored by itself.
    static func whole(units: [HubEntity.MergeUnit]) -> [UInt8] {
        var whole = StampSet(units: units.count, all: Stamp(unchecked: 1))
        whole.notes = wholeNotes(units: units)
        return whole.stored(units: units).packed
    }

    /// Returns the notes, by column, for a record whose values were all set under the present merge policies. The notes
    /// say that the policies apply to all edits of the record: see `floor`.
    static func wholeNotes(units: [HubEntity.MergeUnit]) -> [Int: Stamp] {
        let keys = units.filter { $0.rule != .latest }.map(\.key)
        return Dictionary(keys.map { ($0, Stamp.never) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the stored form of these stamps. `base` is the stamp that most merge units have. `packed` lists the
    /// units with other stamps.
    package func stored(units: [HubEntity.MergeUnit]) -> (base: Stamp, packed: [UInt8]) {
        let stamps = stamps
        let base = StampSet.mostCommon(stamps)
        var bitmap: [UInt8] = []
        var entries: [UInt8] = []
        for (index, unit) in units.enumerated() where stamps[index] != .never {
            // The bitmap's length is one byte; a unit beyond the bitmap is listed.
            if stamps[index] == base, unit.key / 8 < Int(UInt8.max) {
                while bitmap.count <= unit.key / 8 { bitmap.append(0) }
                bitmap[unit.key / 8] |= 1 << (unit.key % 8)
            } else {
                StampSet.append(unit.key, stamps[index], to: &entries)
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

    /// The stamp that most merge units have, not counting `.never`. The result is `.never` only if no unit was ever
    /// written.
    private static func mostCommon(_ stamps: [Stamp]) -> Stamp {
        var best = Stamp.never
        var bestCount = 0
        for (index, stamp) in stamps.enumerated() where stamp != .never && stamp != best {
            let count = stamps[index...].count { $0 == stamp }
            if count > bestCount || count == bestCount && stamp > best { (best, bestCount) = (stamp, count) }
        }
        return best
    }
}

extension StampSet: Hashable {
    package static func == (a: StampSet, b: StampSet) -> Bool {
        guard a.parts == b.parts, a.notes == b.notes else { return false }
        guard case (.same(let x, let count), .same(let y, let other)) = (a.form, b.form) else {
            return a.stamps == b.stamps
        }
        return count == other && (x == y || count == 0)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(stamps)
        hasher.combine(parts)
        hasher.combine(notes)
    }
}
