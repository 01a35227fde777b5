import DemoApps
import PGMigrations
import PGStore
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands
@testable import SyncServer

/// A gate opens only where counting worked through all the time that it asks about.
@Suite struct CensusEvidenceTests {
    private let start = Timestamp(microseconds: 1_900_000_000_000_000)
    private let phone = ID(high: 1, low: 1)

    private func days(_ count: Double) -> Timestamp { start.adding(.seconds(count * 86_400)) }

    /// A database with a census, and what stands for servers of it.
    private func withServers(_ body: (Servers) async throws -> Void) async throws {
        let plan = try Plan(FitIQPlan.self)
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await database.withServingPool { pool in
                let session = try await database.session()
                try await body(Servers(plan: plan, database: database, pool: pool, session: session))
                await session.close()
            }
        }
    }

    private struct Servers {
        let plan: Plan
        let database: TestDatabase
        let pool: Pool
        let session: Session

        /// A server, with the session that says that it is there.
        func begin() async throws -> (census: Census, presence: Session) {
            let census = Census([plan])
            let presence = try await Session.open(database.connectionString)
            try await presence.execute(CensusTable.presence(of: census.server))
            return (census, presence)
        }

        func see(_ version: String, _ census: Census, by device: ID, at time: Timestamp) throws {
            let place = try #require(ShapeName(version).flatMap { plan.index(of: $0) })
            census.taker(for: 0).note(place, by: device, of: "anna", outboxAge: nil, at: time)
        }

        /// PostgreSQL itself notices a moment later that a session has ended.
        func notice(by census: Census, at time: Timestamp) async throws {
            try await eventually("the others are gone") {
                let counting = CensusTable.counting(census.server, at: time, unnoticed: Census.slack)
                _ = try await pool.withSession { session in try await session.execute(counting) }
                return try await session.execute("SELECT count(*) FROM sync.census_server").int(0, 0) == 1
            }
        }

        /// Keeps the census from being written, for one version.
        func breakWriting(_ version: String) async throws {
            try await database.run(
                "ALTER TABLE sync.census_device ADD CONSTRAINT broken CHECK (version <> '\(version)') NOT VALID")
        }

        func mendWriting() async throws {
            try await database.run("ALTER TABLE sync.census_device DROP CONSTRAINT IF EXISTS broken")
        }

        func answer(at now: Timestamp) async throws -> CensusGate.Answer {
            try await ask(CensusGate("census(<0.0.8)=0 for 30d"), now, session)
        }

        private func ask(
            _ gate: CensusGate, _ now: Timestamp, _ session: isolated Session
        ) throws -> CensusGate.Answer { try gate.answer(for: plan, at: now, session) }

        func doubt(at now: Timestamp) async throws -> CensusGate.Obstacle.Doubt? {
            guard case .notYet(let obstacle) = try await answer(at: now) else {
                Issue.record("The gate is open.")
                return nil
            }
            return obstacle.doubt
        }
    }

    @Test func aServerThatCannotWriteKeepsItShut() async throws {
        try await withServers { servers in
            let (census, presence) = try await servers.begin()
            try await census.flush(on: servers.pool, at: start)
            try await servers.breakWriting("0.0.3")
            for day in 1...40 {
                try servers.see("0.0.3", census, by: phone, at: days(Double(day)))
                await #expect(throws: PGError.self) { try await census.flush(on: servers.pool, at: days(Double(day))) }
            }
            #expect(try await servers.doubt(at: days(40)) == .lost(since: start))
            // Once it can write again, nothing is lost: it has kept all of it.
            try await servers.mendWriting()
            try await census.flush(on: servers.pool, at: days(40))
            #expect(try await servers.doubt(at: days(40)) == nil)
            try await census.flush(on: servers.pool, at: days(71))
            #expect(try await servers.answer(at: days(71)) == .satisfied)
            await presence.close()
        }
    }

    @Test func aServerThatEndedWithUnwrittenEntriesBeginsTheCensusAnew() async throws {
        try await withServers { servers in
            let (first, presence) = try await servers.begin()
            try await first.flush(on: servers.pool, at: start)
            try await servers.breakWriting("0.0.3")
            try servers.see("0.0.3", first, by: phone, at: days(39))
            await #expect(throws: PGError.self) { try await first.flush(on: servers.pool, at: days(39)) }
            await presence.close()
            try await servers.mendWriting()
            #expect(try await servers.doubt(at: days(40)) == .lost(since: start))
            let (next, other) = try await servers.begin()
            try await next.flush(on: servers.pool, at: days(40))
            try await servers.notice(by: next, at: days(40))
            guard case .notYet(let obstacle) = try await servers.answer(at: days(69)) else {
                Issue.record("The gate is open.")
                return
            }
            #expect(obstacle.since == days(40) && obstacle.latest == nil)
            try await next.flush(on: servers.pool, at: days(70))
            #expect(try await servers.answer(at: days(70)) == .satisfied)
            await other.close()
        }
    }

    @Test func whatASecondOrTwoCouldHideIsNotMissed() async throws {
        try await withServers { servers in
            let (first, presence) = try await servers.begin()
            try await first.flush(on: servers.pool, at: start)
            await presence.close()
            let (next, other) = try await servers.begin()
            try await next.flush(on: servers.pool, at: start.adding(.seconds(300)))
            try await servers.notice(by: next, at: start.adding(.seconds(300)))
            try await next.flush(on: servers.pool, at: days(40))
            #expect(try await servers.answer(at: days(40)) == .satisfied)
            await other.close()
        }
    }

    @Test func aServerThatHasWrittenNothingKeepsItShut() async throws {
        try await withServers { servers in
            let (first, presence) = try await servers.begin()
            try await first.flush(on: servers.pool, at: start)
            let (silent, other) = try await servers.begin()
            try await first.flush(on: servers.pool, at: days(40))
            #expect(try await servers.doubt(at: days(40)) == .silent)
            try await silent.flush(on: servers.pool, at: days(40))
            #expect(try await servers.answer(at: days(40)) == .satisfied)
            for session in [presence, other] { await session.close() }
        }
    }

    /// It has no word of before that it would be missed by.
    @Test(arguments: [true, false])
    func aServerThatNeverCouldWriteIsNotGoneWithoutATrace(isKilled: Bool) async throws {
        try await withServers { servers in
            let (first, presence) = try await servers.begin()
            try await first.flush(on: servers.pool, at: start)
            try await first.end(on: servers.pool)
            await presence.close()
            try await servers.breakWriting("0.0.3")
            let (silent, other) = try await servers.begin()
            try servers.see("0.0.3", silent, by: phone, at: days(20))
            await #expect(throws: PGError.self) { try await silent.flush(on: servers.pool, at: days(20)) }
            if !isKilled {
                await #expect(throws: PGError.self) { try await silent.flush(on: servers.pool, at: days(30)) }
            }
            await other.close()
            try await servers.mendWriting()
            #expect(try await servers.doubt(at: days(40)) == .lost(since: days(20)))
            let (next, last) = try await servers.begin()
            try await next.flush(on: servers.pool, at: days(40))
            try await servers.notice(by: next, at: days(40))
            guard case .notYet(let obstacle) = try await servers.answer(at: days(49)) else {
                Issue.record("The gate is open.")
                return
            }
            #expect(obstacle.since == days(40))
            await last.close()
        }
    }

    @Test func aServerOfTheReleaseBeforeKeepsItShut() async throws {
        try await withServers { servers in
            let (census, presence) = try await servers.begin()
            try await census.flush(on: servers.pool, at: start)
            let line = MigrationLine.serverLineName
            let lines = try Repository.migrations().cut(line, after: CensusGate.countingLevel - 1)
            let old = try await Session.open(servers.database.connectionString)
            #expect(try await ServingLevel.announce(lines.level(of: line), of: line, old))
            try await census.flush(on: servers.pool, at: days(40))
            #expect(try await servers.doubt(at: days(40)) == .outdated)
            for session in [presence, old] { await session.close() }
        }
    }

    @Test func aServerThatStopsInOrderLeavesNothingToDoubt() async throws {
        try await withTestServer { server in
            try await server.service.flushCensus()
            try await server.withSecondServer { other in try await other.flushCensus() }
            let session = try await Session.open(server.database.superuserConnectionString)
            let rows = try await session.execute("SELECT server FROM sync.census_server")
            #expect(rows.count == 1 && rows.int(0, 0) == Int64(server.service.census.server))
            await session.close()
        }
    }

    /// Servers come, see, fail, end and are killed, by chance: an open gate never overlooks a use, but for what was
    /// seen in the minutes before a kill.
    @Test(arguments: 0..<12)
    func anOpenGateOverlooksNoUse(run: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        try await withServers { servers in
            var alive: [(census: Census, presence: Session, unwritten: [Timestamp])] = []
            var (uses, now, isBroken): ([Timestamp], Timestamp, Bool) = ([], start, false)
            var opened = 0
            for _ in 0..<60 {
                now = now.adding(.seconds(Int.random(in: 1...5 * 86_400, using: &random)))
                switch Int.random(in: 0..<10, using: &random) {
                case 0 where alive.count < 3:
                    let (census, presence) = try await servers.begin()
                    // As a server does when it starts; where that fails it goes on.
                    _ = try? await census.flush(on: servers.pool, at: now)
                    alive.append((census, presence, []))
                case 1,
                    2 where !alive.isEmpty:
                    guard let place = alive.indices.randomElement(using: &random) else { break }
                    try servers.see("0.0.3", alive[place].census, by: phone, at: now)
                    uses.append(now)
                case 3 where !alive.isEmpty:
                    let ended = alive.remove(at: Int.random(in: alive.indices, using: &random))
                    if (try? await ended.census.flush(on: servers.pool, at: now)) != nil {
                        try await ended.census.end(on: servers.pool)
                    }
                    await ended.presence.close()
                case 4 where !alive.isEmpty:
                    // Killed, right after it wrote or could not.
                    let killed = alive.remove(at: Int.random(in: alive.indices, using: &random))
                    _ = try? await killed.census.flush(on: servers.pool, at: now)
                    await killed.presence.close()
                case 5:
                    isBroken.toggle()
                    if isBroken { try await servers.breakWriting("0.0.3") } else { try await servers.mendWriting() }
                default: break
                }
                for server in alive { _ = try? await server.census.flush(on: servers.pool, at: now) }
                if case .satisfied = try await servers.answer(at: now) {
                    opened += 1
                    let missed = uses.filter { $0 >= now.adding(.seconds(-30 * 86_400)) }
                    #expect(missed.isEmpty, "seed \(seed): open at \(now), used at \(missed)")
                }
            }
            for server in alive { await server.presence.close() }
            print("an open gate: seed \(seed), open \(opened) times, \(uses.count) uses")
        }
    }
}
