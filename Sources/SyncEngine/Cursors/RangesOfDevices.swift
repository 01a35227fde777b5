import Synchronization
import WireFormats

/// The numbers that pushes of each device were given, whether the device received the answers or not.
/// `PlantedBug.rangesOfDevice` uses these instead of the cursors' ranges.
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
