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

    /// The latest time that a clock may show, 1 January 2100, in milliseconds since 1970. Stamps can express times
    /// until 2109, so a device with such a clock can still give later stamps to further edits.
    static let latestMilliseconds: Int64 = 4_102_444_800_000

    /// The latest stamp that a device's clock may have: one year after the latest time, `latestMilliseconds`. The year
    /// leaves room for edits at the latest time, because each edit takes a later stamp.
    static let stampMax = Stamp(milliseconds: latestMilliseconds + 365 * 86_400_000).rawValue

    /// The maximum time by which a stamp may be ahead of the server's clock, in milliseconds (`HybridClock.aheadMax`).
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

    /// The latest stamp that a correct server can have accepted when its clock showed `milliseconds`. A device's clock
    /// is never set to a later stamp from an answer.
    static func latestAccepted(at milliseconds: Int64) -> Int64 {
        Stamp(milliseconds: bounded(milliseconds) + aheadMaxMilliseconds, counter: 2047).rawValue
    }

    /// Returns the stamp for the next edit, as described in `docs/protocol.md`, ‘Stamps’.
    ///
    /// The stamp is the present time, corrected by the server's clock. But if `memo.clock` is not earlier than this
    /// time, the stamp is the one after `memo.clock`.
    ///
    /// There is an exception after the server has replaced stamps of this device, the latest of which is
    /// `memo.replacedUpTo`. A time up to that stamp is not used if it is more than five minutes ahead of the server's
    /// latest answer; the stamp after `memo.clock` is used instead. Otherwise the server would replace the new stamp,
    /// too, and the new edit could lose against the device's own older edits.
    ///
    /// - Parameter memo: the device's state. Its clock is at most `stampMax`, as `Replica.recoverClock` ensures.
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
