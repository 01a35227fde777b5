public import WireFormats

/// What a device keeps beside its records, in one transaction with them.
public struct ReplicaMemo: Sendable, Hashable {
    /// The device's id: that of this store, and of no copy of it.
    public var device: ID
    /// The version that the records are in, as `Schema-Version` states it.
    public var version: String
    /// What the server knows the device to have read; `nil` before the first page, and where it must begin anew.
    public var cursor: String?
    /// The latest stamp that was made or seen here.
    public var clock: Int64 = 0
    /// The latest stamp that stands on the server, as far as it was told here: the clock is never set back before it.
    public var standing: Int64 = 0
    /// The latest stamp that the server has replaced, because the device's clock was ahead; 0 where there is none.
    public var replacedUpTo: Int64 = 0
    /// What the server's clock showed in its latest answer, in milliseconds since 1970.
    public var serverMilliseconds: Int64 = 0
    /// The number of the latest walk through the space from nothing.
    public var walk: Int64 = 0
    /// Whether that walk goes on. At its end, records that it did not name are dropped.
    public var isWalking = false
    /// What is done about a database that was restored from a backup.
    public var recovery = Recovery.none
    /// Whether the space has been read to its end.
    public var hasReadAll = false

    /// More walks than a device begins in its life, one each nanosecond; a file that says more is wrong.
    static let walkMax: Int64 = 1 << 53

    /// How far a device has come in giving a restored server back what that lacks.
    public enum Recovery: String, Sendable {
        case none
        /// It reads what the server still has.
        case reading
        /// It offers what it knew better.
        case offering
    }

    public init(device: ID, version: String) {
        self.device = device
        self.version = version
    }
}
