internal import Glibc

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
public struct StampSet: Hashable, Sendable {
    /// By place in `HubEntity.units`.
    public private(set) var stamps: [Stamp]

    /// No unit was ever written.
    public init(units: Int) {
        self.init(units: units, all: .never)
    }

    private init(units: Int, all stamp: Stamp) {
        stamps = Array(repeating: stamp, count: units)
    }

    public subscript(unit: Int) -> Stamp {
        get { stamps[unit] }
        set { stamps[unit] = newValue }
    }

    /// The latest of all.
    public var latest: Stamp { stamps.max() ?? .never }

    /// Reads the stored form.
    ///
    /// - Parameter packed: empty where nothing but `base` is known, which is then every unit's.
    public init(base: Stamp, packed: Span<UInt8>, units: [HubEntity.MergeUnit]) {
        guard packed.count > 0 else {
            stamps = Array(repeating: base, count: units.count)
            return
        }
        let bitmapEnd = 1 + Int(packed[0])
        stamps = units.map { unit in
            for column in unit.columns {
                let (byte, bit) = (1 + column / 8, column % 8)
                if byte < bitmapEnd, packed[byte] >> bit & 1 == 1 { return base }
            }
            return .never
        }
        for offset in stride(from: bitmapEnd, to: packed.count, by: StampSet.entrySizeBytes) {
            let key = Int(packed[offset]) << 8 | Int(packed[offset + 1])
            // Of units that a later stage linked, the latest stamp is that of the one that they became.
            guard let place = units.firstIndex(where: { $0.columns.contains(key) }) else { continue }
            stamps[place] = max(stamps[place], StampSet.stamp(packed, at: offset))
        }
    }

    /// The latest stamp of a stored form.
    public static func latest(base: Stamp, packed: Span<UInt8>) -> Stamp {
        guard packed.count > 0 else { return base }
        var latest = base
        for offset in stride(from: 1 + Int(packed[0]), to: packed.count, by: entrySizeBytes) {
            latest = max(latest, stamp(packed, at: offset))
        }
        return latest
    }

    private static let entrySizeBytes = 10

    private static func stamp(_ packed: Span<UInt8>, at offset: Int) -> Stamp {
        var raw: Int64 = 0
        for index in offset + 2..<offset + entrySizeBytes { raw = raw << 8 | Int64(packed[index]) }
        return Stamp(unchecked: raw)
    }

    /// Reads the stored form of a record of `entity`.
    public init(base: Stamp, packed: Span<UInt8>, of entity: HubEntity) {
        let isWhole = entity.wholeStamps.withUnsafeBytes { whole in
            packed.withUnsafeBytes {
                $0.count == whole.count && memcmp($0.baseAddress!, whole.baseAddress!, $0.count) == 0
            }
        }
        if isWhole {
            self.init(units: entity.units.count, all: base)
        } else {
            self.init(base: base, packed: packed, units: entity.units)
        }
    }

    /// The stored form for a record of `entity`: the stamp that most units share, and the bytes that say which.
    public func stored(of entity: HubEntity) -> (base: Stamp, packed: [UInt8]) {
        if let first = stamps.first, first != .never, stamps.allSatisfy({ $0 == first }) {
            return (first, entity.wholeStamps)
        }
        return stored(units: entity.units)
    }

    /// What says of a record with these units that all have one stamp, which is how most are stored.
    static func whole(units: [HubEntity.MergeUnit]) -> [UInt8] {
        StampSet(units: units.count, all: Stamp(unchecked: 1)).stored(units: units).packed
    }

    /// The stored form: the stamp that most units share, and the bytes that say which.
    public func stored(units: [HubEntity.MergeUnit]) -> (base: Stamp, packed: [UInt8]) {
        let base = mostCommon
        var bitmap: [UInt8] = []
        var entries: [UInt8] = []
        for (place, unit) in units.enumerated() where stamps[place] != .never {
            // The bitmap's length is one byte; a unit beyond it is listed.
            if stamps[place] == base, unit.key / 8 < Int(UInt8.max) {
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
