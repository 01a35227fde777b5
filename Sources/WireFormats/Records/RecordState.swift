/// The server's state of one record: its row in the hub, the stamps of its last edits, and its liveness.
package struct RecordState: Hashable, Sendable {
    package let id: ID
    /// The values, by column of the hub entity; null for a column that was not read from the table (see `withheld`).
    package var values: [Value]
    /// The large columns that were not read from the table, because the change to the record does not concern them: one
    /// bit for each of `HubEntity.largeColumns`. Their stored values stay as they are.
    package var withheld: UInt64
    /// The size of the stored values in the columns that were not read, in bytes.
    package var withheldBytes: Int
    package var stamps: StampSet
    /// The created stamp: the stamp of the latest explicit creation. `.never` for a record that is known only from
    /// updates or a deletion.
    package var createdStamp: Stamp
    /// The deleted stamp: the stamp of the latest deletion.
    package var deletedStamp: Stamp
    /// The sequence number of the record's latest change in the space; 0 before the first change.
    package var seq: Int64
    /// True if the record exists: neither the record itself is deleted (`isAliveItself`), nor a record whose deletion
    /// cascades to it.
    package var isAlive: Bool
    /// A bit for each of `HubEntity.references`. A set bit means that the target is absent or deleted, so the reference
    /// reads as null.
    package var dangling: UInt64
    /// The device that already has the record in its latest form, because its own push made it so. Only this device
    /// need not be sent the record. `nil` if the record must be sent to every device.
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

    /// True if the record itself is not deleted; a deletion that cascades from another record does not count. A record
    /// is deleted if its latest deletion is later than its latest explicit creation. An update never restores a deleted
    /// record and never counts as a creation.
    @inlinable
    package var isAliveItself: Bool { deletedStamp <= createdStamp || deletedStamp == .never }

    /// The size of all attribute values in bytes, including the columns that were not read. O(n) in the columns.
    package var sizeBytes: Int { values.reduce(withheldBytes) { $0 + $1.sizeBytes } }

    /// The latest stamp of any edit of the record: an update, a creation or a deletion.
    package var stamp: Stamp { max(stamps.latest, createdStamp, deletedStamp) }
}
