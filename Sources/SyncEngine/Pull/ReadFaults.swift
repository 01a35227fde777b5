import Synchronization
package import WireFormats

/// Values that were sent as the attribute's default, because a table held what the protocol does not have, or a
/// version's lens could not translate it. Each attribute of each version is reported once, with the first record that
/// was met: a page has a thousand.
package final class ReadFaults: Sendable {
    private let report: @Sendable (Fault, Place) -> Void
    private let counts = Mutex<[Fault: Int]>([:])

    /// What was met.
    package struct Fault: Hashable, Sendable {
        package let cause: Cause
        /// A place in the plan's `shapes`.
        package let version: Int
        package let entity: String
        package let attribute: String
    }

    /// Why the value could not be sent.
    package enum Cause: Hashable, Sendable {
        /// The version's lens failed.
        case lens
        /// The table holds what the attribute cannot have, such as NaN, or null where there must be a value.
        case stored
    }

    /// The record in which one was met. It says nothing of its values.
    package struct Place: Hashable, Sendable {
        package let space: ID
        /// As the version has it.
        package let record: String
    }

    package init(report: @escaping @Sendable (Fault, Place) -> Void = { _, _ in }) {
        self.report = report
    }

    /// How many values were sent as a default.
    package var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    func note(
        _ cause: Cause, _ projection: Projection, _ field: Projection.Field, in place: @autoclosure () -> Place
    ) {
        let fault = Fault(cause: cause, version: projection.version, entity: projection.name, attribute: field.name)
        let isFirst = counts.withLock { counts in
            counts[fault, default: 0] += 1
            return counts[fault] == 1
        }
        if isFirst { report(fault, place()) }
    }
}
