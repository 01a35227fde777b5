import WireFormats

/// What a device has read and was acknowledged of a space, as the cursor of its request says; see
/// docs/architecture.md, *What a device has read, sent and was told*.
enum Reading: Equatable {
    /// It says nothing, or something from which a pull could not go on.
    case nothing
    /// All that is numbered up to `seq`, and what pushes gave the numbers `acknowledged` and it had so itself.
    case through(Int64, acknowledged: NumberRanges)
    /// Whatever stands: of a replay, whose outcome everybody is told.
    case everything

    /// Whether the device has the record as it stands.
    func holds(_ state: RecordState) -> Bool {
        switch self {
        case .nothing: false
        case .through(let seq, let acknowledged):
            state.seq <= seq || state.pusher != nil && acknowledged.contains(state.seq)
        case .everything: true
        }
    }

    /// Whether the device has read up to a number, or was answered by the push that gave it.
    func reaches(_ seq: Int64) -> Bool {
        switch self {
        case .nothing: false
        case .through(let read, let acknowledged): seq <= read || acknowledged.contains(seq)
        case .everything: true
        }
    }
}
