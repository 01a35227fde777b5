package import WireFormats

/// A record on the server as far as the device knows it: the state that the server sent, with those changes of the
/// device that the server has accepted since.
package struct KnownRecord: Sendable, Hashable {
    /// The values by attribute; `nil` for a deleted record.
    package var fields: [String: Value]?
    /// The latest stamp of all edits of the record.
    package var stamp: Int64
    /// The stamp of the record's creation. For a deleted record the stamp of its deletion; 0 if the record was deleted
    /// along with another.
    package var created: Int64
    /// The stamps of attributes whose latest edit does not have `stamp`; 0 for an attribute that nobody has set.
    package var stamps: [String: Int64]
    /// The targets of references whose target does not exist, by attribute. `fields` has null for these references.
    package var absent: [String: Value]
    /// The number of the latest initial sync that contained the record, see `ReplicaMemo.initialSync`.
    package var initialSync: Int64

    init(
        fields: [String: Value]?, stamp: Int64, created: Int64, stamps: [String: Int64] = [:],
        absent: [String: Value] = [:], initialSync: Int64
    ) {
        self.fields = fields
        self.stamp = stamp
        self.created = created
        self.stamps = stamps
        self.absent = absent
        self.initialSync = initialSync
    }

    func stamp(of attribute: String) -> Int64 { stamps[attribute] ?? stamp }

    /// Records that some attributes were set with the stamp `moment`, which may be earlier or later than the stamps of
    /// the others.
    mutating func say(_ names: some Sequence<String>, at moment: Int64) {
        if moment > stamp {
            for name in fields?.keys ?? [:].keys where stamps[name] == nil { stamps[name] = stamp }
            stamp = moment
        }
        for name in names { stamps[name] = moment == stamp ? nil : moment }
    }
}
