package import WireFormats

/// A device's copy of a record on the server: the state that the server sent, with the device's own changes that the
/// server has accepted since.
package struct KnownRecord: Sendable, Hashable {
    /// The value of each attribute, by its name; `nil` for a deleted record.
    package var fields: [String: Value]?
    /// The stamp of the record's latest edit.
    package var stamp: Int64
    /// The stamp of the record's creation. For a deleted record it is the stamp of the deletion, or 0 if the deletion
    /// was a cascade from another record.
    package var created: Int64
    /// The stamp of each attribute's latest edit, by attribute; 0 for an attribute that nobody has set. An attribute
    /// that is missing here has the record's `stamp`.
    package var stamps: [String: Int64]
    /// The ids of referenced records that do not exist, by the attribute that refers to them. `fields` has null for
    /// these attributes.
    package var absent: [String: Value]
    /// The number of the latest initial sync (a reading of the whole space) that contained the record.
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

    /// Sets the stamp of the named attributes to `moment`, which may be earlier or later than the stamps of the
    /// record's other attributes.
    mutating func say(_ names: some Sequence<String>, at moment: Int64) {
        if moment > stamp {
            for name in fields?.keys ?? [:].keys where stamps[name] == nil { stamps[name] = stamp }
            stamp = moment
        }
        for name in names { stamps[name] = moment == stamp ? nil : moment }
    }
}
