public import WireFormats

/// What the server has told a device of a record, with what it has acknowledged since.
public struct KnownRecord: Sendable, Hashable {
    /// By attribute; `nil` for a record that was deleted.
    public var fields: [String: Value]?
    /// The latest of all that was said of it.
    public var stamp: Int64
    /// When it was created; of a deleted one, when that was done, and 0 where it went with another.
    public var created: Int64
    /// When each attribute was said, where that is not `stamp`; 0 for what nobody has said.
    public var stamps: [String: Int64]
    /// What references lead to that read as null, because it is not there.
    public var absent: [String: Value]
    /// The walk from nothing that has named it last, see `ReplicaMemo.walk`.
    public var walk: Int64

    init(
        fields: [String: Value]?, stamp: Int64, created: Int64, stamps: [String: Int64] = [:],
        absent: [String: Value] = [:], walk: Int64
    ) {
        self.fields = fields
        self.stamp = stamp
        self.created = created
        self.stamps = stamps
        self.absent = absent
        self.walk = walk
    }

    func stamp(of attribute: String) -> Int64 { stamps[attribute] ?? stamp }

    /// Notes that some attributes were said at `moment`, which may be before or after what was said of the others.
    mutating func say(_ names: some Sequence<String>, at moment: Int64) {
        if moment > stamp {
            for name in fields?.keys ?? [:].keys where stamps[name] == nil { stamps[name] = stamp }
            stamp = moment
        }
        for name in names { stamps[name] = moment == stamp ? nil : moment }
    }
}
