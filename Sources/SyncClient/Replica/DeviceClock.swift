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

    /// The next stamp after `latest`, see `docs/protocol.md`, ‘Stamps’.
    func stamp(after latest: Int64, here: Int64) -> Int64 {
        min(max(Stamp(milliseconds: milliseconds(here)).rawValue, latest + 1), Stamp.last.rawValue)
    }
}
