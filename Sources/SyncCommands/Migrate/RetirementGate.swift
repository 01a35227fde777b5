import PGStore
package import Postgres
import SyncEngine
import SyncServer
package import WireFormats

/// A condition of a contract migration on retired versions: `retired(<2.0.0)` means that changes written in a version
/// below 2.0.0 are no longer accepted.
package struct RetirementGate: Sendable, Hashable {
    /// The version that the condition names. All versions below it must have ended, and the server must no longer
    /// accept changes that devices wrote in them. All schemas that were shipped under one version number are compared
    /// by this number alone.
    package let floor: Schema.Version

    /// Parses a condition such as `retired(<2.0.0)`, with optional spaces; `nil` if the text is not a condition on
    /// retired versions.
    ///
    /// - Throws: `CensusGate.Malformed`.
    package init?(_ text: String) throws(CensusGate.Malformed) {
        guard text.drop(while: { $0 == " " }).hasPrefix("retired") else { return nil }
        guard let match = text.wholeMatch(of: /\s*retired\s*\(\s*<\s*([^\s)]+)\s*\)\s*/),
            let floor = Schema.Version(match.1)
        else {
            throw CensusGate.Malformed(
                description: "‘\(shortened(text))’ asks for no version; write it as ‘retired(<2.0.0)’.")
        }
        self.floor = floor
    }

    /// Checks the condition in the lifecycle states of the app's versions. The session must have the login for
    /// migrations.
    ///
    /// - Returns: the reason why the condition is not met; `nil` if it is met.
    /// - Throws: `CensusGate.Malformed` if the plan has no version `floor`; `PGError`.
    package func obstacle(for plan: Plan, at now: Timestamp, _ session: isolated Session) throws -> String? {
        try CensusGate.check(floor, in: plan)
        let rows = VersionLives.Row.all(try session.execute(VersionLives.reading)).filter { $0.app == plan.app }
        for index in plan.shapes.indices where plan.shapes[index].version < floor {
            let name = plan.name(of: index).description
            let row = rows.first { $0.version == name }
            guard let row, let until = row.outboxUntil else {
                return "\(name) is not retired: ‘syncserver version retire '\(name)' --app \(plan.app)’."
            }
            if row.state(at: now) != .closed {
                return "What was written in \(name) is taken from updated apps until \(until.minute)."
            }
        }
        return nil
    }
}
