import DemoApps
import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands
@testable import SyncEngine
@testable import SyncServer

/// A gate opens only where counting worked through all the time that it asks about.
@Suite struct CensusEvidenceTests {
    private let start = Timestamp(microseconds: 1_900_000_000_000_000)
    private let phone = ID(high: 1, low: 1)

    private func days(_ count: Double) -> Timestamp { start.adding(.seconds(count * 86_400)) }

    private func withServers(_ body: (CensusServers) async throws -> Void) async throws {
        try await CensusServers.lend(body)
    }

    @Test func aServerThatCannotWriteKeepsItShut() async throws {
        try await withServers { servers in
            let (census, presence) = try await servers.begin()
            try await census.flush(on: servers.pool, at: start)
            try await servers.breakWriting(.check)
            for day in 1...40 {
                try servers.see("0.0.3", census, by: phone, at: days(Double(day)))
                await #expect(throws: PGError.self) { try await census.flush(on: servers.pool, at: days(Double(day))) }
            }
            #expect(try await servers.doubt(at: days(40)) == .lost(since: start))
            // Once it can write again, nothing is lost: it has kept all of it.
            try await servers.mendWriting(.check)
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
            try await servers.breakWriting(.check)
            try servers.see("0.0.3", first, by: phone, at: days(39))
            await #expect(throws: PGError.self) { try await first.flush(on: servers.pool, at: days(39)) }
            await presence.close()
            try await servers.mendWriting(.check)
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
            try await servers.breakWriting(.check)
            let (silent, other) = try await servers.begin()
            try servers.see("0.0.3", silent, by: phone, at: days(20))
            await #expect(throws: PGError.self) { try await silent.flush(on: servers.pool, at: days(20)) }
            if !isKilled {
                await #expect(throws: PGError.self) { try await silent.flush(on: servers.pool, at: days(30)) }
            }
            await other.close()
            try await servers.mendWriting(.check)
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

    /// The ways that keep every sighting of the version from being written.
    private static let breakages = CensusBreakage.allCases.filter { !$0.isOfKnownDevices && !$0.silencesServers }

    /// Servers come, see, fail, end and are killed, by chance: an open gate never overlooks a use, but for what was
    /// seen in the minutes before a kill.
    @Test(arguments: 0..<12)
    func anOpenGateOverlooksNoUse(run: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        try await withServers { servers in
            var alive: [(census: Census, presence: Session, unwritten: [Timestamp])] = []
            var (uses, now, isBroken): ([Timestamp], Timestamp, Bool) = ([], start, false)
            var (opened, breakage) = (0, CensusBreakage.check)
            for _ in 0..<120 {
                let step = Int.random(in: 0..<6, using: &random) == 0 ? 1...30 : 1...6 * 86_400
                now = now.adding(.seconds(Int.random(in: step, using: &random)))
                switch Int.random(in: 0..<10, using: &random) {
                case 0 where alive.count < 3:
                    let (census, presence) = try await servers.begin()
                    // As a server does when it starts; where that fails it goes on.
                    _ = try? await census.flush(on: servers.pool, at: now)
                    alive.append((census, presence, []))
                case 1,
                    2 where !alive.isEmpty:
                    guard let index = alive.indices.randomElement(using: &random) else { break }
                    try servers.see("0.0.3", alive[index].census, by: phone, at: now)
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
                    if isBroken {
                        breakage = try #require(Self.breakages.randomElement(using: &random))
                        try await servers.breakWriting(breakage)
                    } else {
                        try await servers.mendWriting(breakage)
                    }
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
