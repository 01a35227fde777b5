import PGMigrations
import PGStore
import WireFormats

/// What contract steps may require, and who answers: the census, or what was said of versions.
struct ContractGate: Sendable {
    let plans: [Plan]

    /// - Returns: why the requirement does not hold; `nil` where it does.
    func obstacle(
        _ requirement: String, _ file: MigrationFile, _ session: Session
    ) async throws(PGError) -> String? {
        guard let plan = plans.first(where: { $0.app == file.id.line }) else {
            return "The server's own tables are not an app's: ‘\(requirement)’ cannot be asked of them."
        }
        do {
            let retirement = try RetirementGate(requirement)
            let gate = try retirement == nil ? CensusGate(requirement) : nil
            // A census of a restored database lacks what was seen since the backup, and must begin anew.
            try await session.execute(Spaces.recognizing)
            // A contract takes away for good: not by a clock that is wrong.
            let now = try await DatabaseClock.start(on: session).agreedTime(on: session)
            if let retirement { return try await retirement.obstacle(for: plan, at: now, session) }
            switch try await gate?.answer(for: plan, at: now, session) {
            case nil, .satisfied: return nil
            case .notYet(let obstacle): return obstacle.description
            }
        } catch let error as PGError {
            throw error
        } catch {
            return "\(error)"
        }
    }
}
