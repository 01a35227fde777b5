package import WireFormats

/// The state of a device beside its records. It is stored in one transaction with them.
package struct ReplicaMemo: Sendable, Hashable {
    /// The id of the device, which belongs to this store. A copy of the store has another.
    package var device: ID
    /// The version in which the records are stored, in the format of `Schema-Version`.
    package var version: String
    /// The server's cursor behind the pages that the device has read; `nil` before the first page, and if the device
    /// must read the space from its beginning.
    package var cursor: String?
    /// The latest stamp that this device has made or seen.
    package var clock: Int64 = 0
    /// The latest accepted stamp that the server has sent to this device. The clock is never set back to before this
    /// stamp.
    package var latestAcceptedStamp: Int64 = 0
    /// The latest of this device's stamps that the server has replaced, because the device's clock was ahead; 0 for
    /// none.
    package var replacedUpTo: Int64 = 0
    /// The server's time in its latest answer, in milliseconds since 1970.
    package var serverMilliseconds: Int64 = 0
    /// The number of the latest initial sync of the space.
    package var initialSync: Int64 = 0
    /// True while that initial sync goes on. At its end, the device drops the records that the sync did not contain.
    package var isInitialSyncRunning = false
    /// The progress of sending a restored server the records that it lacks.
    package var recovery = Recovery.none
    /// True if the space has been read to its end.
    package var hasReadAll = false

    /// The most initial syncs that are plausible, more than a device could ever begin. A larger number in a file is
    /// damage.
    static let initialSyncMax: Int64 = 1 << 53

    /// The progress of sending a server that was restored from a backup the records that it lacks.
    package enum Recovery: String, Sendable {
        case none
        /// The device reads the records that the server still has.
        case reading
        /// The device sends the records whose values it has and the server lacks.
        case offering
    }

    package init(device: ID, version: String) {
        self.device = device
        self.version = version
    }
}
