package import PGStore
import Postgres
import Synchronization
package import WireFormats

extension VersionLives.Row {
    /// How far a version's life has come.
    package enum State: String, Sendable {
        case supported
        /// It works as before; devices are told that it will end.
        case deprecated
        /// It can neither pull nor push; what was written in it is still taken from devices that have been updated.
        case retired
        /// That, too, is over.
        case closed

        /// Whether requests in it are refused.
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
    /// What was said of a version, as members; nothing of what was not said.
    package mutating func members(of life: VersionLives.Row) {
        member("deprecated", life.deprecated?.description)
        member("sunset", life.sunset?.description)
        member("retired", life.retired?.description)
        member("outboxUntil", life.outboxUntil?.description)
        member("link", life.link)
    }
}

/// What this server knows of the lives of an app's versions.
package final class KnownLives: Sendable {
    private let lives = Mutex<[Int: VersionLives.Row]>([:])

    /// How old that may be.
    package static let reviewInterval = Duration.seconds(3)

    package init() {}

    /// - Parameter version: a place in `plan.shapes`.
    package func life(of version: Int) -> VersionLives.Row? { lives.withLock { $0[version] } }

    package func state(of version: Int, at now: Timestamp) -> VersionLives.Row.State {
        life(of: version)?.state(at: now) ?? .supported
    }

    /// Takes over what was said of the versions that the plan has.
    package func take(_ rows: [VersionLives.Row], _ plan: Plan) {
        var found: [Int: VersionLives.Row] = [:]
        for row in rows where row.app == plan.app {
            guard let version = ShapeName(row.version).flatMap({ plan.index(of: $0) }) else { continue }
            found[version] = row
        }
        lives.withLock { $0 = found }
    }
}
