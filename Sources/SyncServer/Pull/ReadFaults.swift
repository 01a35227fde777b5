import Synchronization
import WireFormats

/// Values that a version's lens could not translate on their way out, and that were sent as the attribute's default.
/// Each attribute of each version is reported once: a page has a thousand records.
package final class ReadFaults: Sendable {
    private let report: @Sendable (Fault) -> Void
    private let counts = Mutex<[Fault: Int]>([:])

    /// Where one was met.
    package struct Fault: Hashable, Sendable {
        /// A place in the plan's `shapes`.
        package let version: Int
        package let entity: String
        package let attribute: String
    }

    package init(report: @escaping @Sendable (Fault) -> Void = { _ in }) {
        self.report = report
    }

    /// How many values were sent as a default.
    package var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    func note(_ projection: Projection, _ field: Projection.Field) {
        let fault = Fault(version: projection.version, entity: projection.name, attribute: field.name)
        let isFirst = counts.withLock { counts in
            counts[fault, default: 0] += 1
            return counts[fault] == 1
        }
        if isFirst { report(fault) }
    }
}
