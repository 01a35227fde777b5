/// The server's state of one record: its row in the hub, the stamps of its last edits, and its liveness.
package struct RecordState: Hashable, Sendable {
    package let id: ID
    /// The values, by column of the hub entity; null for a column that was not read from the table (see `withheld`).
    package var values: [Value]
    /// The large columns that were not read from the table: one bit for each of `HubEntity.largeColumns`. The change to
    /// the record does not concern these columns, and their stored values stay as they are.
    package var withheld: UInt64
    /// The size of the stored values in the columns that were not read, in bytes.
    package var withheldBytes: Int
    package var stamps: StampSet
    /// The stamp of the record's latest explicit creation. `.never` for a record that is known only from updates or a
    /// deletion.
    package var createdStamp: Stamp
    /// The stamp of the record's latest deletion; `.never` if there was none.
    package var deletedStamp: Stamp
    /// The sequence number of the record's latest change in the space; 0 before the first change.
    package var seq: Int64
    /// True if the record exists. False if it is deleted itself (see `isAliveItself`), or if the deletion of another
    /// record cascades to it.
    package var isAlive: Bool
    /// The references that read as null, because their target is absent or deleted: one bit for each of
    /// `HubEntity.references`.
    package var dangling: UInt64
    /// The device whose push gave the record its latest form. It need not be sent the record. `nil` if the record must
    /// be sent to every device.
    package var pusher: ID?

    package init(
        id: ID, values: [Value], stamps: StampSet, createdStamp: Stamp = .never, deletedStamp: Stamp = .never,
        seq: Int64 = 0,
        isAlive: Bool = false, dangling: UInt64 = 0, pusher: ID? = nil, withheld: UInt64 = 0, withheldBytes: Int = 0
    ) {
        self.id = id
        self.values = values
        self.withheld = withheld
        self.withheldBytes = withheldBytes
        self.stamps = stamps
        self.createdStamp = createdStamp
        self.deletedStamp = deletedStamp
        self.seq = seq
        self.isAlive = isAlive
        self.dangling = dangling
        self.pusher = pusher
    }

    /// True if the record's latest deletion is not later than its latest explicit creation. A deletion that cascades
    /// from another record does not count here: see `isAlive`. An update never restores a deleted record.
    @inlinable
    package var isAliveItself: Bool { deletedStamp <= createdStamp || deletedStamp == .never }

    /// The size of all attribute values in bytes, including the columns that were not read. O(n) in the columns.
    package var sizeBytes: Int { values.reduce(withheldBytes) { $0 + $1.sizeBytes } }

    /// The latest stamp of any edit of the record: an update, a creation or a deletion.
    package var stamp: Stamp { max(stamps.latest, createdStamp, deletedStamp) }
}
