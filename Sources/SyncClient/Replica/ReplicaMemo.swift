package import WireFormats

/// The state of a device apart from its records, such as its cursor and its clock. It is stored in the same transaction
/// as the records.
package struct ReplicaMemo: Sendable, Hashable {
    /// The id of the device, which belongs to this store. A copy of the store gets another id.
    package var device: ID
    /// The version in which the records are stored, in the format of `Schema-Version`.
    package var version: String
    /// The server's cursor for the position up to which the device has read the space; `nil` before the first page, and
    /// if the device must read the space from its beginning.
    package var cursor: String?
    /// The latest stamp that this device has given to an edit or seen in an answer. Its next stamp is later.
    package var clock: Int64 = 0
    /// The latest stamp that the server is known to have accepted. The clock is not set back to before this stamp,
    /// unless the stamp is later than any that a correct server can have accepted.
    package var latestAcceptedStamp: Int64 = 0
    /// The latest of this device's stamps that the server has replaced, because the device's clock was ahead; 0 for
    /// none.
    package var replacedUpTo: Int64 = 0
    /// The server's time in its latest answer, in milliseconds since 1970.
    package var serverMilliseconds: Int64 = 0
    /// The number of the latest initial sync, a reading of the whole space from its beginning. The number grows by one
    /// each time.
    package var initialSync: Int64 = 0
    /// True while the latest initial sync (a reading of the whole space) goes on. After its last page, the device drops
    /// the records that were in no page.
    package var isInitialSyncRunning = false
    /// The stage of recovery after the server was restored from a backup. In a recovery, the device sends the records
    /// that the server has lost.
    package var recovery = Recovery.none
    /// True if the device has read the space to its end at least once, and has not dropped its records since.
    package var hasReadAll = false

    /// The greatest plausible number of initial syncs (readings of the whole space); no device can begin so many. A
    /// larger number in a file is a sign of damage.
    static let initialSyncMax: Int64 = 1 << 53

    /// The stages of recovery after the server was restored from a backup. In a recovery, the device sends the records
    /// that the server has lost.
    package enum Recovery: String, Sendable {
        case none
        /// The first stage of a recovery: the device reads the records that the server still has.
        case reading
        /// The second stage of a recovery: the device sends its records, with the values that the server may lack.
        case offering
    }

    package init(device: ID, version: String) {
        self.device = device
        self.version = version
    }
}
