import PGMigrations
package import PGStore
package import Postgres
import SyncEngine
import SyncServer
package import WireFormats

/// A condition of a contract migration on the census (the table of the versions in use). It is checked before the
/// migration removes what old versions need: `census(<2.0.0)=0 for 30d` means that no device has used a version below
/// 2.0.0 for 30 days.
package struct CensusGate: Sendable, Hashable {
    /// The lower bound of the versions that may be in use, such as 2.0.0 for the condition `census(<2.0.0)=0 for 30d`.
    /// A second schema that was shipped under the number 2.0.0 counts as 2.0.0.
    package let floor: Schema.Version
    package let window: Duration

    /// The longest period that a condition such as `census(<2.0.0)=0 for 30d` may have: a year. The census contains no
    /// older entries.
    static let windowMax = Duration.seconds(365 * 86_400)

    /// The error of a condition with wrong syntax, or with a version that the plan does not have.
    package struct Malformed: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Parses a condition such as `census(<2.0.0)=0 for 30d`, with optional spaces. The period is a whole number of `d`
    /// (days), `h`, `m` or `s`, and at most a year.
    package init(_ text: String) throws(Malformed) {
        let pattern = /\s*census\s*\(\s*<\s*([^\s)]+)\s*\)\s*=\s*0\s+for\s+(\S+)\s*/
        guard let match = text.wholeMatch(of: pattern) else {
            throw Malformed(description: "‘\(shortened(text))’ is no question to the census; ‘\(Self.example)’ is one.")
        }
        guard let floor = Schema.Version(match.1) else {
            throw Malformed(
                description:
                    "‘\(shortened(String(match.1)))’ is no version: write ‘\(Self.example)’ with all three numbers.")
        }
        guard let window = Duration(shortText: String(match.2)), window > .zero else {
            throw Malformed(
                description: "‘\(shortened(String(match.2)))’ is no time: write it such as 30d or 12h, as "
                    + "‘\(Self.example)’ does."
            )
        }
        guard window <= Self.windowMax else {
            throw Malformed(description: "The census forgets after a year: ask about 365d at most.")
        }
        (self.floor, self.window) = (floor, window)
    }

    private static let example = "census(<2.0.0)=0 for 30d"

    /// The result of checking a condition on the census.
    package enum Answer: Sendable, Hashable {
        case satisfied
        case notYet(Obstacle)
    }

    /// Checks that the plan has the version `floor`.
    ///
    /// - Throws: `Malformed` if it does not.
    static func check(_ floor: Schema.Version, in plan: Plan) throws(Malformed) {
        guard plan.index(of: floor) == nil else { return }
        let known = plan.schemas.map(\.version.description).joined(separator: ", ")
        throw Malformed(description: "\(plan.app) has no version \(floor); it has \(known).")
    }

    /// Checks in the census if the condition is met: no device has used a version below `floor` during the period
    /// `window`. The session must have the login for migrations.
    ///
    /// - Throws: `Malformed` if the plan has no version `floor`; `PGError`.
    package func answer(for plan: Plan, at now: Timestamp, _ session: isolated Session) throws -> Answer {
        try CensusGate.check(floor, in: plan)
        let evidence = try session.execute(CensusTable.evidence(at: now, silence: Census.silence))
        let doubt = try doubt(evidence, session)
        // A device may have been seen a little later than the census states.
        let cutoff = now.adding(.zero - window - Census.slack)
        let use = try session.execute(CensusTable.use(of: plan.app, below: floor, since: cutoff))
        let obstacle = Obstacle(
            gate: self, devices: CensusTable.Count(use, 0, at: 0), hasAnonymous: use.bool(0, 3),
            latest: use.timestampIfPresent(0, 4).map { Obstacle.Use(at: $0, version: use.string(0, 5)) },
            since: evidence.timestampIfPresent(0, 1), doubt: doubt)
        guard doubt == nil, obstacle.latest == nil, let holdsFrom = obstacle.holdsFrom, holdsFrom <= now else {
            return .notYet(obstacle)
        }
        return .satisfied
    }
}

extension CensusGate {
    /// The number of the server's own migrations that a running server must know so that it reports immediately if it
    /// cannot write to the census.
    static let countingLevel = 32

    private func doubt(_ evidence: Rows, _ session: isolated Session) throws(PGError) -> Obstacle.Doubt? {
        let line = MigrationLine.serverLineName
        if try !ServingLevel.present(below: CensusGate.countingLevel, of: line, session).isEmpty { return .outdated }
        if evidence.bool(0, 3) { return .hidden }
        if let until = evidence.timestampIfPresent(0, 0) { return .lost(since: until) }
        return evidence.int(0, 2) > 0 ? .silent : nil
    }
}

extension CensusGate: CustomStringConvertible {
    package var description: String { "census(<\(floor))=0 for \(window.shortText)" }
}

extension CensusGate {
    /// The reason why a condition on the census is not met, and the time until which it cannot be met.
    package struct Obstacle: Sendable, Hashable {
        package let gate: CensusGate
        /// The number of devices that used a version below `gate.floor` within the time `gate.window`, and the number
        /// of their subjects. Devices that send no id are not counted.
        package let devices: CensusTable.Count
        /// True if devices that send no id used a version below `gate.floor` within the time `gate.window`.
        package let hasAnonymous: Bool
        /// The latest use of a version below `gate.floor` within the time `gate.window`; `nil` if there was none. In
        /// that case, the census covers too short a time, or may be incomplete (see `doubt`).
        package let latest: Use?
        /// The time since which every server was able to write to the census which devices it served; `nil` if no
        /// server has reported it.
        package let since: Timestamp?
        /// The reason why the census may be incomplete; `nil` if it is complete from the time `since` on.
        package let doubt: Doubt?

        /// The reasons why the census may be incomplete. As long as one of them exists, no condition on the census is
        /// met.
        package enum Doubt: Sendable, Hashable {
            /// A server that was not shut down properly, or could not write. The devices that it served since this time
            /// may be missing in the census.
            case lost(since: Timestamp)
            /// A running server that has not written to the census yet.
            case silent
            /// Row-level security, which may hide rows of the census from the session's login.
            case hidden
            /// A running server of an earlier release, which does not report if it cannot write to the census.
            case outdated
        }

        /// A use of a version by a device, with its time.
        package struct Use: Sendable, Hashable {
            package let at: Timestamp
            package let version: String
        }

        /// The time from which the condition `gate` will be met, if no more devices use a version below `gate.floor`.
        /// `nil` if no server has reported that it writes to the census.
        package var holdsFrom: Timestamp? {
            guard let since else { return nil }
            let young = since.adding(gate.window)
            guard let latest else { return young }
            return max(young, latest.at.adding(gate.window + Census.slack))
        }
    }
}

extension CensusGate.Obstacle: CustomStringConvertible {
    /// An explanation for the operator: the devices that still use old versions, and the time from which the condition
    /// would be met without them.
    package var description: String {
        if let doubt { return doubt.description }
        guard let since, let holdsFrom else {
            return "No server has kept the census in this database yet, so nothing is known of versions below "
                + "\(gate.floor). Serve it for \(gate.window.shortText) first."
        }
        guard let latest else {
            return "Nobody is known to use a version below \(gate.floor), but the census is kept only since "
                + "\(since.day): it can tell from \(holdsFrom.minute) on."
        }
        return "\(users) used a version below \(gate.floor) in the last \(gate.window.longText), the latest on "
            + "\(latest.at.day) (\(latest.version)); the census is kept since \(since.day). If nobody does any "
            + "more, it holds from \(holdsFrom.minute) on."
    }

    private var users: String {
        let unidentified = "devices that do not say which they are"
        if !hasAnonymous { return "\(devices)" }
        return devices.devices == 0
            ? unidentified.prefix(1).uppercased() + unidentified.dropFirst() : "\(devices), and \(unidentified),"
    }
}

extension CensusGate.Obstacle.Doubt: CustomStringConvertible {
    package var description: String {
        switch self {
        case .lost(let since):
            "What a server saw since \(since.minute) is not all in the census, and it has not ended in order. If it is "
                + "at work, its log says why it cannot write. If it was killed, the next server that starts notices, "
                + "and the census tells from then on."
        case .hidden:
            "Row-level security may hide rows of the census. Say as the tables' owner: ALTER TABLE sync.census_device "
                + "DISABLE ROW LEVEL SECURITY; and the same of sync.census_server."
        case .silent: "A server is at work that cannot write to the census: its log says why."
        case .outdated:
            "A server of a release before this one is at work, which does not say whether it can write to the census: "
                + "replace it first."
        }
    }
}
