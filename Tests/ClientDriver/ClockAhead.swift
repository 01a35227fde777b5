import Foundation
import Synchronization

/// A wall clock that shows more than the machine's, as ‘clock’ has set it.
final class ClockAhead: Sendable {
    private let milliseconds = Atomic<Int64>(0)

    func set(_ ahead: Int64) { milliseconds.store(ahead, ordering: .relaxed) }

    var now: Date { Date(timeIntervalSinceNow: Double(milliseconds.load(ordering: .relaxed)) / 1000) }
}
