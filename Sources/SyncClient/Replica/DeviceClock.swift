import PlantedBugs
public import WireFormats

/// The time on a device: its own clock, set by the server's. It reads no clock; who calls says what the own one shows.
///
/// Neither is believed blindly: a clock may show any year, and an answer may say any.
public struct DeviceClock: Sendable, Hashable {
    /// What the server's clock shows more than the device's, in milliseconds.
    public private(set) var aheadMilliseconds: Int64 = 0

    public init() {}

    /// The latest time that a clock may show, 1 January 2100, in milliseconds since 1970: stamps end in 2109, and there
    /// must be a next one for every edit.
    static let latestMilliseconds: Int64 = 4_102_444_800_000

    /// The latest stamp that edits can have come to: what a clock shows at most, and a year of stamps that follow it,
    /// one for each edit.
    static let stampMax = Stamp(milliseconds: latestMilliseconds + 365 * 86_400_000).rawValue

    /// How far ahead of the server a stamp may be (`HybridClock.aheadMax`).
    private static let aheadMaxMilliseconds: Int64 = 300_000

    /// - Parameters:
    ///   - server: what an answer says.
    ///   - here: what the device's clock showed then, in milliseconds since 1970.
    public mutating func set(_ server: Timestamp, here: Int64) {
        aheadMilliseconds = DeviceClock.bounded(server.microseconds / 1000) - DeviceClock.bounded(here)
    }

    func milliseconds(_ here: Int64) -> Int64 { DeviceClock.bounded(DeviceClock.bounded(here) + aheadMilliseconds) }

    /// A time as far as it can be one.
    static func bounded(_ milliseconds: Int64) -> Int64 { min(max(milliseconds, 0), latestMilliseconds) }

    /// The latest stamp that a server can have accepted whose clock showed `milliseconds`: what is later moves no
    /// device's clock.
    static func latestAccepted(at milliseconds: Int64) -> Int64 {
        Stamp(milliseconds: bounded(milliseconds) + aheadMaxMilliseconds, counter: 2047).rawValue
    }

    /// The next stamp, see `docs/protocol.md`, ‘Stamps’.
    ///
    /// The server keeps the order of the stamps that it replaces: one that was made after others had been replaced, is
    /// less than those, and is ahead as well, would be replaced by an earlier one, and lose against the device's own
    /// edits. So a clock that was ahead once is not believed further than the server's latest answer warrants, until it
    /// shows more than it did then.
    ///
    /// - Parameter memo: its clock is at most `stampMax`, see `Replica.recoverClock`.
    func stamp(after memo: ReplicaMemo, here: Int64) -> Int64 {
        let clock = min(max(memo.clock, 0), DeviceClock.stampMax)
        let next = PlantedClientBug.stampsRepeated.isPlanted ? clock : clock + 1
        let shown = max(Stamp(milliseconds: milliseconds(here)).rawValue, next)
        let warranted = Stamp(
            milliseconds: DeviceClock.bounded(memo.serverMilliseconds) + DeviceClock.aheadMaxMilliseconds
        ).rawValue
        return shown <= memo.replacedUpTo && shown > warranted ? next : shown
    }
}
