import PGMigrations
import PGStore
import Postgres
import WireFormats

/// Checks the conditions of contract migrations, which remove what old versions need. A condition is on the census (the
/// table of the versions in use) or on the lifecycle states of versions.
struct ContractGate: Sendable {
    let plans: [Plan]
    /// The directory, which has the census and the states of versions, while another database is migrated; `nil` for
    /// the migrated database itself.
    var directory: ConnectionString?

    /// Checks one condition, such as `census(<2.0.0)=0 for 30d` or `retired(<2.0.0)`.
    ///
    /// - Returns: the reason why the condition is not met; `nil` if it is met.
    func obstacle(
        _ requirement: String, _ file: MigrationFile, _ session: Session
    ) async throws(PGError) -> String? {
        guard let plan = plans.first(where: { $0.app == file.id.line }) else {
            return "The server's own tables are not an app's: ‘\(requirement)’ cannot be asked of them."
        }
        guard let directory else { return try await obstacle(requirement, plan, session) }
        let own = try await Session.open(directory, settings: .migrating)
        do throws(PGError) {
            let obstacle = try await obstacle(requirement, plan, own)
            await own.close()
            return obstacle
        } catch {
            await own.close()
            throw error
        }
    }

    private func obstacle(_ requirement: String, _ plan: Plan, _ session: Session) async throws(PGError) -> String? {
        do {
            let kind = try Kind(requirement)
            // A census of a restored database lacks all observations since the backup, and must begin anew.
            try await session.execute(Spaces.recognizing)
            // A contract removes things for good, so a wrong clock must not decide.
            let now = try await DatabaseClock.start(on: session).agreedTime(on: session)
            return try await kind.obstacle(for: plan, at: now, session)
        } catch let error as PGError {
            throw error
        } catch {
            return "\(error)"
        }
    }

    /// The kinds of conditions: on the census of the versions in use, or on the lifecycle states of versions.
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
