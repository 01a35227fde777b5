/// Everything that the server knows of one record: its row in the hub, when each part of it was last edited, and
/// whether it exists.
public struct RecordState: Hashable, Sendable {
    public let id: ID
    /// By column of the hub entity; null for a column that is withheld.
    public var values: [Value]
    /// The large columns that were not read, because nothing that is done to the record concerns them: a bit for each
    /// of `HubEntity.largeColumns`. They stay as they are.
    public var withheld: UInt64
    /// The bytes in the columns that are withheld.
    public var withheldBytes: Int
    public var stamps: StampSet
    /// The latest explicit creation; `.never` for a record that only updates or a deletion told of.
    public var born: Stamp
    /// The latest deletion.
    public var died: Stamp
    /// The number of its latest change in the space; 0 before the first.
    public var seq: Int64
    /// Whether it exists: `isAliveItself`, and nothing that it goes with is dead.
    public var isAlive: Bool
    /// A bit for each of `HubEntity.references`: the target is absent or dead, so the reference reads as null.
    public var dangling: UInt64
    /// The device whose push gave the number, where that push left the record as the device then had it; `nil` where
    /// everybody must be told.
    public var pusher: ID?

    public init(
        id: ID, values: [Value], stamps: StampSet, born: Stamp = .never, died: Stamp = .never, seq: Int64 = 0,
        isAlive: Bool = false, dangling: UInt64 = 0, pusher: ID? = nil, withheld: UInt64 = 0, withheldBytes: Int = 0
    ) {
        self.id = id
        self.values = values
        self.withheld = withheld
        self.withheldBytes = withheldBytes
        self.stamps = stamps
        self.born = born
        self.died = died
        self.seq = seq
        self.isAlive = isAlive
        self.dangling = dangling
        self.pusher = pusher
    }

    /// Life is a register of its own: dead once the latest deletion is later than the latest explicit creation. An
    /// update never resurrects and never counts as a creation.
    public var isAliveItself: Bool { died <= born || died == .never }

    /// Bytes of all that is stored of it in attributes, with what is withheld. O(n) in the columns.
    public var sizeBytes: Int { values.reduce(withheldBytes) { $0 + $1.sizeBytes } }

    /// The latest edit of any kind.
    public var stamp: Stamp { max(stamps.latest, born, died) }
}
