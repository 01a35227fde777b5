import PGMigrations
import PGStore
import Postgres
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
            let kind = try Kind(requirement)
            // A census of a restored database lacks what was seen since the backup, and must begin anew.
            try await session.execute(Spaces.recognizing)
            // A contract takes away for good: not by a clock that is wrong.
            let now = try await DatabaseClock.start(on: session).agreedTime(on: session)
            return try await kind.obstacle(for: plan, at: now, session)
        } catch let error as PGError {
            throw error
        } catch {
            return "\(error)"
        }
    }

    /// What is required, by whom it is asked.
    private enum Kind {
        case census(CensusGate)
        case retirement(RetirementGate)

        init(_ requirement: String) throws(CensusGate.Malformed) {
            if let retirement = try RetirementGate(requirement) {
                self = .retirement(retirement)
            } else {
                self = .census(try CensusGate(requirement))
            }
        }

        func obstacle(for plan: Plan, at now: Timestamp, _ session: isolated Session) throws -> String? {
            switch self {
            case .retirement(let gate): return try gate.obstacle(for: plan, at: now, session)
            case .census(let gate):
                guard case .notYet(let obstacle) = try gate.answer(for: plan, at: now, session) else { return nil }
                return obstacle.description
            }
        }
    }
}
