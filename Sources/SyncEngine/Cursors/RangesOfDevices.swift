import Synchronization
import WireFormats

/// The sequence numbers that the pushes of each device were given, whether the device received the answers or not. Only
/// `PlantedBug.rangesOfDevice`, a deliberate fault that tests must find, uses them in place of the ranges in cursors.
final class RangesOfDevices: Sendable {
    private let ranges = Mutex<[ID: NumberRanges]>([:])

    func note(_ device: ID?, after before: Int64, through last: Int64) {
        guard let device else { return }
        ranges.withLock { $0[device, default: NumberRanges()].append(after: before, through: last) }
    }

    func ranges(of device: ID?, above number: Int64) -> NumberRanges? {
        device.flatMap { device in ranges.withLock { $0[device] } }?.above(number)
    }
}
