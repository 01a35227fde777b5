/// The server's state of one record: its row in the hub, the stamps of its last edits, and its liveness.
package struct RecordState: Hashable, Sendable {
    package let id: ID
    /// The values by column of the hub entity; null for a column that is withheld.
    package var values: [Value]
    /// The large columns that were not read, because nothing that is done to the record concerns them: one bit for each
    /// of `HubEntity.largeColumns`. These columns stay as they are.
    package var withheld: UInt64
    /// The size of the values in the withheld columns, in bytes.
    package var withheldBytes: Int
    package var stamps: StampSet
    /// The created stamp: the stamp of the latest explicit creation. `.never` for a record that is known only from
    /// updates or a deletion.
    package var createdStamp: Stamp
    /// The deleted stamp: the stamp of the latest deletion.
    package var deletedStamp: Stamp
    /// The number of the record's latest change in the space; 0 before the first change.
    package var seq: Int64
    /// True if the record exists: `isAliveItself` is true, and no record that it is deleted along with is deleted.
    package var isAlive: Bool
    /// A bit for each of `HubEntity.references`. A set bit means that the target is absent or deleted, so the reference
    /// reads as null.
    package var dangling: UInt64
    /// The device whose push gave the record its number, if that push left the record as the device then had it. `nil`
    /// if the record must be sent to every device.
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

    /// True if the record is not deleted by itself. Liveness is a register of its own: a record is deleted once the
    /// latest deletion is later than the latest explicit creation. An update never restores a deleted record and never
    /// counts as a creation.
    @inlinable
    package var isAliveItself: Bool { deletedStamp <= createdStamp || deletedStamp == .never }

    /// The size of all stored attribute values in bytes, including the withheld ones. O(n) in the columns.
    package var sizeBytes: Int { values.reduce(withheldBytes) { $0 + $1.sizeBytes } }

    /// The latest stamp of any kind of edit.
    package var stamp: Stamp { max(stamps.latest, createdStamp, deletedStamp) }
}
