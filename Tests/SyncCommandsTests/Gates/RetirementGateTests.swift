import DemoApps
import PGStore
import Postgres
import SyncCommands
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `-- requires: retired(<V)`: a contract waits until nothing of older versions is taken any more.
@Suite struct RetirementGateTests {
    private func obstacle(
        _ text: String, _ rows: [VersionStates.Row], app: any SchemaMigrationPlan.Type = KeepTrackPlan.self
    ) async throws -> String? {
        let plan = try Plan(app)
        return try await withTestDatabase(migrated: Repository.migrations()) { database in
            let session = try await database.session()
            for row in rows { try await session.execute(VersionStates.writing(row)) }
            let obstacle = try await ask(#require(try RetirementGate(text)), plan, session)
            await session.close()
            return obstacle
        }
    }

    private func ask(_ gate: RetirementGate, _ plan: Plan, _ session: isolated Session) throws -> String? {
        try gate.obstacle(for: plan, at: .now, session)
    }

    /// The row of each version and variant below 1.0.0.
    private func ended(until time: Timestamp) throws -> [VersionStates.Row] {
        let plan = try Plan(KeepTrackPlan.self)
        let floor = try #require(Schema.Version("1.0.0"))
        return plan.shapes.indices.filter { plan.shapes[$0].version < floor }.map { index in
            var row = VersionStates.Row(app: "keeptrack", version: plan.name(of: index).description)
            row.retired = Timestamp.now.adding(.seconds(-7200))
            row.outboxUntil = time
            return row
        }
    }

    @Test("M24: a gate is open once outboxes of all lower versions and variants are closed")
    func itIsOpenOnceAllHaveEnded() async throws {
        let past = Timestamp.now.adding(.seconds(-3600))
        let ended = try ended(until: past)
        #expect(ended.count > 1)
        #expect(try await obstacle("retired(<1.0.0)", ended) == nil)
        #expect(try await obstacle(" retired ( < 1.0.0 ) ", ended) == nil)
        // One is missing: it says which, and what to do.
        let missing = try #require(try await obstacle("retired(<1.0.0)", Array(ended.dropLast())))
        #expect(missing.contains("is not retired") && missing.contains("syncserver version retire"), "\(missing)")
        // A higher floor asks of more.
        #expect(try await obstacle("retired(<2.0.0)", ended)?.contains("1.0.0") == true)
    }

    @Test("M24: a gate is shut while updated apps can push what was written before")
    func itIsShutUntilTheSecondDate() async throws {
        let future = Timestamp.now.adding(.seconds(86_400))
        let text = try #require(try await obstacle("retired(<1.0.0)", ended(until: future)))
        #expect(text.contains("is taken from updated apps until"), "\(text)")
    }

    @Test(arguments: ["retired", "retired(1.0.0)", "retired(<1.0)", "retired(<1.0.0) for 30d"])
    func whatIsNoQuestionIsSaid(text: String) {
        #expect(throws: CensusGate.Malformed.self) { try RetirementGate(text) }
    }

    @Test func otherRequirementsAreTheCensuss() throws {
        #expect(try RetirementGate("census(<2.0.0)=0 for 30d") == nil)
    }
}
