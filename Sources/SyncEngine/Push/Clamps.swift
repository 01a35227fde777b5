import PlantedBugs
import WireFormats

/// The replacements of stamps that were too far ahead of the server's clock when they first arrived.
struct Clamps: Sendable {
    private var given: [Stamp: Stamp]

    init(_ given: [Stamp: Stamp] = [:]) {
        self.given = given
    }

    /// Returns the replacement of a sent stamp; `nil` if the stamp was accepted as sent.
    subscript(sent: Stamp) -> Stamp? {
        get { given[sent] }
        set { given[sent] = newValue }
    }

    /// Returns the stamp with which a change is merged. For a change without a stamp, this is later than all stamps of
    /// the record. The device may have read an edit that came from a clock which is ahead, and may have edited the same
    /// attribute after that.
    ///
    /// - Parameter sent: the change's own stamp, or the server's time if it has none.
    func stamp(of change: Change, sent: Stamp, on state: RecordState?) -> Stamp {
        if let given = given[sent] { return given }
        guard change.stamp == nil, let state, !PlantedBug.unstampedLoses.isPlanted else { return sent }
        return max(sent, state.stamp.next)
    }
}
