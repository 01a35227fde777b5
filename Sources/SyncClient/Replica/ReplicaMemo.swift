public import WireFormats

/// The state of a device beside its records. It is stored in one transaction with them.
public struct ReplicaMemo: Sendable, Hashable {
    /// The id of the device, which belongs to this store. A copy of the store has another.
    public var device: ID
    /// The version in which the records are stored, in the format of `Schema-Version`.
    public var version: String
    /// The server's cursor for the pages that the device has read; `nil` before the first page, and if reading must
    /// begin anew.
    public var cursor: String?
    /// The latest stamp that this device has made or seen.
    public var clock: Int64 = 0
    /// The latest accepted stamp that the server has sent to this device. The clock is never set back before it.
    public var standing: Int64 = 0
    /// The latest of this device's stamps that the server has replaced, because the device's clock was ahead; 0 for
    /// none.
    public var replacedUpTo: Int64 = 0
    /// The server's time in its latest answer, in milliseconds since 1970.
    public var serverMilliseconds: Int64 = 0
    /// The number of the latest initial sync of the space.
    public var walk: Int64 = 0
    /// True while that initial sync goes on. At its end, records that it did not name are dropped.
    public var isWalking = false
    /// The progress of giving a restored server the records that it lacks.
    public var recovery = Recovery.none
    /// True if the space has been read to its end.
    public var hasReadAll = false

    /// More initial syncs than a device begins in its time, one each nanosecond. A larger number in a file is wrong.
    static let walkMax: Int64 = 1 << 53

    /// The progress of giving a restored server back the records that it lacks.
    public enum Recovery: String, Sendable {
        case none
        /// The device reads the records that the server still has.
        case reading
        /// The device offers the records that it knows better.
        case offering
    }

    public init(device: ID, version: String) {
        self.device = device
        self.version = version
    }
}
