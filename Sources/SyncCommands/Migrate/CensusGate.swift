import PGMigrations
package import PGStore
package import Postgres
import SyncEngine
import SyncServer
package import WireFormats

/// What a contract migration asks of the census before it takes something away from old versions:
/// `census(<2.0.0)=0 for 30d`, no device has used a version below 2.0.0 for 30 days.
package struct CensusGate: Sendable, Hashable {
    /// Versions with a lower number must not be in use. Variants go by the number that they were shipped under.
    package let floor: Schema.Version
    package let window: Duration

    /// What is forgotten after a year cannot be asked about.
    static let windowMax = Duration.seconds(365 * 86_400)

    /// What is wrong with a gate as it is written.
    package struct Malformed: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Reads `census(<2.0.0)=0 for 30d`, with spaces where one likes. The window is a whole number of `d`, `h`, `m` or
    /// `s`, at most a year.
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

    /// What the census says.
    package enum Answer: Sendable, Hashable {
        case satisfied
        case notYet(Obstacle)
    }

    /// - Throws: where the plan has no version `floor`.
    static func check(_ floor: Schema.Version, in plan: Plan) throws(Malformed) {
        guard plan.index(of: floor) == nil else { return }
        let known = plan.schemas.map(\.version.description).joined(separator: ", ")
        throw Malformed(description: "\(plan.app) has no version \(floor); it has \(known).")
    }

    /// Asks the census, as whoever migrates.
    ///
    /// - Throws: `Malformed` where the plan has no such version; `PGError`.
    package func answer(for plan: Plan, at now: Timestamp, _ session: isolated Session) throws -> Answer {
        try CensusGate.check(floor, in: plan)
        let evidence = try session.execute(CensusTable.evidence(at: now, silence: Census.silence))
        let doubt = try doubt(evidence, session)
        // A device may have been seen a little later than is written.
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
    /// The first migration of the server's own line with which servers say at once that they cannot count.
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
    /// Why a gate is shut, and until when.
    package struct Obstacle: Sendable, Hashable {
        package let gate: CensusGate
        /// The devices that used a version below within the window and state who they are, and their subjects.
        package let devices: CensusTable.Count
        /// Whether others did, who state no device.
        package let hasAnonymous: Bool
        /// The latest use within the window; `nil` for none, where the census is just too young to tell.
        package let latest: Use?
        /// Since when every server could write to the census what it saw; `nil` where none has said so yet.
        package let since: Timestamp?
        /// Why what was seen of late is not all there.
        package let doubt: Doubt?

        /// The reasons that keep the census from being evidence now, whatever is in it.
        package enum Doubt: Sendable, Hashable {
            /// A server has not written all that it saw since then, and has not ended in order.
            case lost(since: Timestamp)
            /// A server is at work that has written nothing yet.
            case silent
            /// Row-level security may keep rows from whoever asks.
            case hidden
            /// A server is at work that does not say whether it can write.
            case outdated
        }

        /// When somebody used which version.
        package struct Use: Sendable, Hashable {
            package let at: Timestamp
            package let version: String
        }

        /// When the gate opens if nobody uses a version below it any more; `nil` where no server keeps the census.
        package var holdsFrom: Timestamp? {
            guard let since else { return nil }
            let young = since.adding(gate.window)
            guard let latest else { return young }
            return max(young, latest.at.adding(gate.window + Census.slack))
        }
    }
}

extension CensusGate.Obstacle: CustomStringConvertible {
    /// Who it waits for, and the day from which it would not, in sentences.
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
        let strangers = "devices that do not say which they are"
        if !hasAnonymous { return "\(devices)" }
        return devices.devices == 0
            ? strangers.prefix(1).uppercased() + strangers.dropFirst() : "\(devices), and \(strangers),"
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
