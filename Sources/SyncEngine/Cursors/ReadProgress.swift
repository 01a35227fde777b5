import WireFormats

/// The part of a space that a device has, according to the cursor of its request: the records that it has read, and its
/// own pushes whose answers it has received. See docs/internals/cursors.md.
enum ReadProgress: Equatable {
    /// The request has no cursor, or one from which a pull could not go on.
    case nothing
    /// The device has all records up to the first number, as they are stored.
    ///
    /// It has also received the answers to its own pushes with the numbers in `acknowledged`. It has the records with
    /// these numbers, too, except for those that were stored with other values than the device has.
    case through(Int64, acknowledged: NumberRanges)
    /// The device counts as having read everything. This is used for a replay (the later merging of quarantined
    /// changes), because its outcome is sent to every device.
    case everything

    /// Returns true if the device has the record as it is stored now.
    func holds(_ state: RecordState) -> Bool {
        switch self {
        case .nothing: false
        case .through(let seq, let acknowledged):
            state.seq <= seq || state.pusher != nil && acknowledged.contains(state.seq)
        case .everything: true
        }
    }

    /// Returns true if the device has read all changes up to the sequence number `seq`, or has received the answer to
    /// the push that was given this number.
    func reaches(_ seq: Int64) -> Bool {
        switch self {
        case .nothing: false
        case .through(let read, let acknowledged): seq <= read || acknowledged.contains(seq)
        case .everything: true
        }
    }
}
