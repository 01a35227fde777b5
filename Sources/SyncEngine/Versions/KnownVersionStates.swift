package import PGStore
import Postgres
import StrictJSON
import Synchronization
package import WireFormats

extension VersionStates.Row {
    /// The lifecycle state of a version.
    package enum State: String, Sendable {
        case supported
        /// The version works as before; devices are informed that it will end.
        case deprecated
        /// The version can neither pull nor push. Changes that were written in it are still accepted from devices that
        /// have been updated.
        case retired
        /// The version has ended for good: changes that were written in it are not accepted any more, either.
        case closed

        /// True if requests in this version are refused.
        package var hasEnded: Bool { self == .retired || self == .closed }
    }

    package func state(at now: Timestamp) -> State {
        if let outboxUntil, outboxUntil <= now { return .closed }
        if let retired, retired <= now { return .retired }
        if let deprecated, deprecated <= now { return .deprecated }
        return .supported
    }
}

extension JSONWriter {
    /// Writes the lifecycle dates and the link of a version as members of the current JSON object. Those that are not
    /// set are left out.
    package mutating func members(of row: VersionStates.Row) {
        member(BodyMember.deprecated, row.deprecated?.description)
        member(BodyMember.sunset, row.sunset?.description)
        member(BodyMember.retired, row.retired?.description)
        member(BodyMember.outboxUntil, row.outboxUntil?.description)
        member(BodyMember.link, row.link)
    }
}

/// The lifecycle states of an app's versions, as this server last read them from the database.
package final class KnownVersionStates: Sendable {
    private let rows = Mutex<[Int: VersionStates.Row]>([:])

    /// The longest time until the server reads the lifecycle states of the versions from the database again, 3 s.
    package static let reviewInterval = Duration.seconds(3)

    package init() {}

    /// Returns the lifecycle dates and the link that are stored for a version; `nil` if none are stored.
    ///
    /// - Parameter version: the index of the version in `plan.shapes`.
    package func row(of version: Int) -> VersionStates.Row? { rows.withLock { $0[version] } }

    package func state(of version: Int, at now: Timestamp) -> VersionStates.Row.State {
        row(of: version)?.state(at: now) ?? .supported
    }

    /// Replaces the known states by those of `rows` that belong to versions of the plan.
    package func take(_ rows: [VersionStates.Row], _ plan: Plan) {
        var found: [Int: VersionStates.Row] = [:]
        for row in rows where row.app == plan.app {
            guard let version = ShapeName(row.version).flatMap({ plan.index(of: $0) }) else { continue }
            found[version] = row
        }
        self.rows.withLock { $0 = found }
    }
}
