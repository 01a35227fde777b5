import PGStore
package import Postgres
import SyncEngine
import SyncServer
package import WireFormats

/// A condition of a contract migration on retired versions: `retired(<2.0.0)` means that changes written in a version
/// below 2.0.0 are no longer accepted.
package struct RetirementGate: Sendable, Hashable {
    /// The version below which all versions must have ended, such as 2.0.0 for the condition `retired(<2.0.0)`. Changes
    /// that were written in these older versions must no longer be accepted. A second schema that was shipped under a
    /// version's number counts as that version.
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

    /// Checks that all versions below `floor` are retired, and that changes that were written in them are no longer
    /// accepted. The session must have the login for migrations.
    ///
    /// - Returns: a message about the first version for which this is not true; `nil` if there is none.
    /// - Throws: `CensusGate.Malformed` if the plan has no version `floor`; `PGError`.
    package func obstacle(for plan: Plan, at now: Timestamp, _ session: isolated Session) throws -> String? {
        try CensusGate.check(floor, in: plan)
        let rows = VersionStates.Row.all(try session.execute(VersionStates.reading)).filter { $0.app == plan.app }
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
