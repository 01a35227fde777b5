import PlantedBugs
public import WireFormats

/// The time on a device: its own clock, set by the server's. It reads no clock; who calls says what the own one shows.
public struct DeviceClock: Sendable, Hashable {
    /// What the server's clock shows more than the device's, in milliseconds.
    public private(set) var aheadMilliseconds: Int64 = 0

    public init() {}

    /// - Parameters:
    ///   - server: what an answer says.
    ///   - here: what the device's clock showed then, in milliseconds since 1970.
    public mutating func set(_ server: Timestamp, here: Int64) {
        aheadMilliseconds = (server.microseconds / 1000).subtractingReportingOverflow(here).partialValue
    }

    func milliseconds(_ here: Int64) -> Int64 { here.addingReportingOverflow(aheadMilliseconds).partialValue }

    /// How far ahead of the server a stamp may be (`HybridClock.aheadMax`).
    private static let aheadMaxMilliseconds: Int64 = 300_000

    /// The next stamp, see `docs/protocol.md`, ‘Stamps’.
    ///
    /// The server keeps the order of the stamps that it replaces: one that was made after others had been replaced, is
    /// less than those, and is ahead as well, would be replaced by an earlier one, and lose against the device's own
    /// edits. So a clock that was ahead once is not believed further than the server's latest answer warrants, until it
    /// shows more than it did then.
    func stamp(after memo: ReplicaMemo, here: Int64) -> Int64 {
        let next = PlantedClientBug.stampsRepeated.isPlanted ? memo.clock : memo.clock + 1
        let shown = max(Stamp(milliseconds: milliseconds(here)).rawValue, next)
        let warranted = Stamp(milliseconds: memo.serverMilliseconds + DeviceClock.aheadMaxMilliseconds).rawValue
        return min(shown <= memo.replacedUpTo && shown > warranted ? next : shown, Stamp.last.rawValue)
    }
}
