import Synchronization
import WireFormats

/// For each device, the sequence numbers that its pushes were given, even if the device did not receive the answers.
///
/// It is wrong on purpose. It is used only while the fault `PlantedBug.rangesOfDevice` is planted, which tests must
/// find. Cursors contain only the numbers of pushes whose answers the device has received.
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
