import PlantedBugs
package import WireFormats

/// The time on a device: its own clock, corrected by the server's. `DeviceClock` reads no clock itself; the caller
/// passes the time of the device's own clock.
///
/// Neither clock is trusted blindly: a device's clock may show any year, and an answer may state any.
package struct DeviceClock: Sendable, Hashable {
    /// The difference between the server's clock and the device's, in milliseconds; positive if the server's is ahead.
    package private(set) var aheadMilliseconds: Int64 = 0

    package init() {}

    /// The latest time that a clock may show, 1 January 2100, in milliseconds since 1970. Stamps end in 2109, so that
    /// every edit can get a later stamp.
    static let latestMilliseconds: Int64 = 4_102_444_800_000

    /// The latest stamp that is accepted as the value of a device's clock: the stamp of `latestMilliseconds`, plus as
    /// many stamps as a year contains, because each edit takes the next stamp.
    static let stampMax = Stamp(milliseconds: latestMilliseconds + 365 * 86_400_000).rawValue

    /// The most by which a stamp may be ahead of the server, in milliseconds (`HybridClock.aheadMax`).
    private static let aheadMaxMilliseconds: Int64 = 300_000

    /// Corrects the clock by a server's answer.
    ///
    /// - Parameters:
    ///   - server: the server's time in the answer.
    ///   - here: the time of the device's clock when the answer arrived, in milliseconds since 1970.
    package mutating func set(_ server: Timestamp, here: Int64) {
        aheadMilliseconds = DeviceClock.bounded(server.microseconds / 1000) - DeviceClock.bounded(here)
    }

    func milliseconds(_ here: Int64) -> Int64 { DeviceClock.bounded(DeviceClock.bounded(here) + aheadMilliseconds) }

    /// Limits a time to the range from 1970 to `latestMilliseconds`.
    static func bounded(_ milliseconds: Int64) -> Int64 { min(max(milliseconds, 0), latestMilliseconds) }

    /// The latest stamp that a server can have accepted when its clock showed `milliseconds`. A later stamp in an
    /// answer does not move a device's clock.
    static func latestAccepted(at milliseconds: Int64) -> Int64 {
        Stamp(milliseconds: bounded(milliseconds) + aheadMaxMilliseconds, counter: 2047).rawValue
    }

    /// Returns the next stamp, see `docs/protocol.md`, ‘Stamps’.
    ///
    /// The server replaces stamps that are too far ahead, and keeps their order. If stamps were replaced and the next
    /// one were less than those but still too far ahead, the server would replace it by an earlier one, and it would
    /// lose against the device's own edits. So a time that is not later than the replaced stamps (`memo.replacedUpTo`)
    /// is used only if it is at most five minutes ahead of the server's latest answer. Otherwise the next stamp is the
    /// one after `memo.clock`.
    ///
    /// - Parameter memo: the device's state; its clock is at most `stampMax`, see `Replica.recoverClock`.
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
