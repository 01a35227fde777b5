/// The stamp of each merge unit of one record, and their compact stored form.
///
/// Most records are written whole, so they have one stamp: `base`, and no exceptions. The exceptions are a string of
/// bytes: how many bytes of bitmap follow, a bitmap of the units that were never written (unit 0 in the lowest bit of
/// the first byte), and ten bytes for each unit whose stamp is another than `base`: its key (16 bits) and its stamp (64
/// bits), big-endian. A unit's key is its first column, whose place never changes; so sets written before the hub grew
/// keep their meaning.
public struct StampSet: Hashable, Sendable {
    /// By place in `HubEntity.units`.
    public private(set) var stamps: [Stamp]

    /// No unit was ever written.
    public init(units: Int) {
        stamps = Array(repeating: .never, count: units)
    }

    public subscript(unit: Int) -> Stamp {
        get { stamps[unit] }
        set { stamps[unit] = newValue }
    }

    /// The latest of all.
    public var latest: Stamp { stamps.max() ?? .never }

    /// Reads the stored form.
    ///
    /// - Parameter exceptions: empty where there are none.
    public init(base: Stamp, exceptions: Span<UInt8>, units: [HubEntity.MergeUnit]) {
        stamps = Array(repeating: base, count: units.count)
        guard exceptions.count > 0 else { return }
        let bitmapEnd = 1 + Int(exceptions[0])
        for (place, unit) in units.enumerated() {
            let (byte, bit) = (1 + unit.key / 8, unit.key % 8)
            if byte < bitmapEnd, exceptions[byte] >> bit & 1 == 1 { stamps[place] = .never }
        }
        var offset = bitmapEnd
        while offset + 10 <= exceptions.count {
            let key = Int(exceptions[offset]) << 8 | Int(exceptions[offset + 1])
            var raw: Int64 = 0
            for index in offset + 2..<offset + 10 { raw = raw << 8 | Int64(exceptions[index]) }
            // A unit that a later stage linked to another: its key is now one of the columns of a larger unit.
            if let place = units.firstIndex(where: { $0.columns.contains(key) }) {
                let stamp = Stamp(unchecked: raw)
                stamps[place] = units[place].key == key ? stamp : max(stamps[place], stamp)
            }
            offset += 10
        }
    }

    /// The stored form: the stamp that most units share, and the bytes of the exceptions, `nil` where there are none.
    public func stored(units: [HubEntity.MergeUnit]) -> (base: Stamp, exceptions: [UInt8]?) {
        let base = mostCommon
        var bitmap: [UInt8] = []
        var entries: [UInt8] = []
        for (place, unit) in units.enumerated() where stamps[place] != base {
            if stamps[place] == .never {
                while bitmap.count <= unit.key / 8 { bitmap.append(0) }
                bitmap[unit.key / 8] |= 1 << (unit.key % 8)
            } else {
                entries.append(UInt8(truncatingIfNeeded: unit.key >> 8))
                entries.append(UInt8(truncatingIfNeeded: unit.key))
                for shift in stride(from: 56, through: 0, by: -8) {
                    entries.append(UInt8(truncatingIfNeeded: stamps[place].rawValue >> shift))
                }
            }
        }
        if bitmap.isEmpty, entries.isEmpty { return (base, nil) }
        return (base, [UInt8(bitmap.count)] + bitmap + entries)
    }

    /// Never `.never` where any unit has a stamp, because that costs one bit and another stamp costs ten bytes.
    private var mostCommon: Stamp {
        var best = Stamp.never
        var bestCount = 0
        for (place, stamp) in stamps.enumerated() where stamp != .never && stamp != best {
            let count = stamps[place...].count { $0 == stamp }
            if count > bestCount || count == bestCount && stamp > best { (best, bestCount) = (stamp, count) }
        }
        return best
    }
}
