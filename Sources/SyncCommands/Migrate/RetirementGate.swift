import PGStore
package import Postgres
import SyncEngine
import SyncServer
package import WireFormats

/// What a contract migration asks of versions that have ended: `retired(<2.0.0)`, nothing that was written in a version
/// below 2.0.0 is taken any more.
package struct RetirementGate: Sendable, Hashable {
    /// Versions with a lower number must have ended, their outboxes too. Variants go by the number that they were
    /// shipped under.
    package let floor: Schema.Version

    /// Reads `retired(<2.0.0)`, with spaces where one likes; `nil` for another kind of requirement.
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

    /// Asks what was said of versions, as whoever migrates.
    ///
    /// - Returns: why it does not hold; `nil` where it does.
    /// - Throws: `CensusGate.Malformed` where the plan has no such version; `PGError`.
    package func obstacle(for plan: Plan, at now: Timestamp, _ session: isolated Session) throws -> String? {
        try CensusGate.check(floor, in: plan)
        let rows = VersionLives.Row.all(try session.execute(VersionLives.reading)).filter { $0.app == plan.app }
        for place in plan.shapes.indices where plan.shapes[place].version < floor {
            let name = plan.name(of: place).description
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
