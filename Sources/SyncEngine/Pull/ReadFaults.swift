import Synchronization
package import WireFormats

/// Counts values that were sent as the attribute's default, because the table held a value that the protocol does not
/// allow, or a version's lens could not translate it. Each attribute of each version is reported once, with the first
/// affected record, because a page may have a thousand faults.
package final class ReadFaults: Sendable {
    private let report: @Sendable (Fault, Location) -> Void
    private let counts = Mutex<[Fault: Int]>([:])

    /// A group of values that could not be sent for the same reason: those of one attribute in one version.
    package struct Fault: Hashable, Sendable {
        package let cause: Cause
        /// The version's index in the plan's `shapes`.
        package let version: Int
        package let entity: String
        package let attribute: String
    }

    /// The reason why a stored value could not be sent to clients.
    package enum Cause: Hashable, Sendable {
        /// The version's lens could not translate the stored value.
        case lens
        /// The table holds a value that the attribute cannot have, such as NaN, or null for a required attribute.
        case stored
    }

    /// The record in which a fault was met. It contains none of the record's values.
    package struct Location: Hashable, Sendable {
        package let space: ID
        /// The record's id as the version writes it.
        package let record: String
    }

    package init(report: @escaping @Sendable (Fault, Location) -> Void = { _, _ in }) {
        self.report = report
    }

    /// The number of values that could not be sent, so that the attribute's default was sent in their place.
    package var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    func note(
        _ cause: Cause, _ projection: Projection, _ field: Projection.Field, in location: @autoclosure () -> Location
    ) {
        let fault = Fault(cause: cause, version: projection.version, entity: projection.name, attribute: field.name)
        let isFirst = counts.withLock { counts in
            counts[fault, default: 0] += 1
            return counts[fault] == 1
        }
        if isFirst { report(fault, location()) }
    }
}
