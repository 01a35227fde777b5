import HTTPServer
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
        var hasEnded: Bool { self == .retired || self == .closed }
    }

    package func state(at now: Timestamp) -> State {
        if let outboxUntil, outboxUntil <= now { return .closed }
        if let retired, retired <= now { return .retired }
        if let deprecated, deprecated <= now { return .deprecated }
        return .supported
    }

    /// What an answer to a device that uses it says of it: RFC 9745, RFC 8594 and RFC 8288.
    func headers(at now: Timestamp) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let deprecated, deprecated <= now {
            headers.append(("Deprecation", "@\(deprecated.microseconds / 1_000_000)"))
        }
        if let end = retired ?? sunset { headers.append(("Sunset", end.imfFixdate)) }
        if let link, !headers.isEmpty { headers.append(("Link", "<\(link)>; rel=\"deprecation\"; type=\"text/html\"")) }
        return headers
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
    static let reviewInterval = Duration.seconds(3)

    package init() {}

    /// - Parameter version: a place in `plan.shapes`.
    func life(of version: Int) -> VersionLives.Row? { lives.withLock { $0[version] } }

    func state(of version: Int, at now: Timestamp) -> VersionLives.Row.State {
        life(of: version)?.state(at: now) ?? .supported
    }

    /// Takes over what was said of the versions that the plan has.
    func take(_ rows: [VersionLives.Row], _ plan: Plan) {
        var found: [Int: VersionLives.Row] = [:]
        for row in rows where row.app == plan.app {
            guard let version = ShapeName(row.version).flatMap({ plan.index(of: $0) }) else { continue }
            found[version] = row
        }
        lives.withLock { $0 = found }
    }
}

extension Timestamp {
    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    fileprivate var imfFixdate: String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = description
        let date = text.prefix(10).split(separator: "-").map(String.init)
        let number = Int((Double(microseconds) / 86_400_000_000).rounded(.down))
        let weekday = days[((number % 7) + 7) % 7]
        let month = months[(Int(date[1]) ?? 1) - 1]
        return "\(weekday), \(date[2]) \(month) \(date[0]) \(text.dropFirst(11).prefix(8)) GMT"
    }
}
