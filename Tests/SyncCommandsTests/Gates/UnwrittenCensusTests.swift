import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands
@testable import SyncEngine
@testable import SyncServer

/// However a database keeps from the census what servers saw: gates are shut from then on, until it is there.
@Suite struct UnwrittenCensusTests {
    private let start = Timestamp(microseconds: 1_900_000_000_000_000)
    private let phone = ID(high: 1, low: 1)

    private func days(_ count: Double, _ seconds: Double = 0) -> Timestamp {
        start.adding(.seconds(count * 86_400 + seconds))
    }

    /// A server counts for forty days; then the database takes no sighting of 0.0.3, and a device uses it.
    private func breaking(
        _ way: CensusBreakage, _ body: (CensusServers, _ census: Census, _ presence: Session) async throws -> Void
    ) async throws {
        try await CensusServers.lend { servers in
            let (census, presence) = try await servers.begin()
            if way.isOfKnownDevices { try servers.see("0.0.3", census, by: phone, at: days(0)) }
            try await census.flush(on: servers.pool, at: start)
            try await census.flush(on: servers.pool, at: days(40))
            #expect(try await servers.answer(at: days(40)) == .satisfied, "an unbroken census opens it")
            try await servers.breakWriting(way)
            try servers.see("0.0.3", census, by: phone, at: days(40, 1))
            await #expect(throws: PGError.self) { try await census.flush(on: servers.pool, at: days(40, 10)) }
            try await body(servers, census, presence)
            await presence.close()
        }
    }

    /// A rule that leaves nothing of the statement is kept in PostgreSQL's plans after it is dropped, until the
    /// server's sessions end; meanwhile gates stay shut.
    @Test(arguments: CensusBreakage.allCases.filter { $0 != .rule })
    func aGateIsShutUntilWhatWasSeenIsWritten(way: CensusBreakage) async throws {
        try await breaking(way) { servers, census, _ in
            // Where the server cannot say that it failed, it is its silence that shuts the gate.
            let wait = way.silencesServers ? 131.0 : 10
            let doubt = try await servers.doubt(at: days(40, wait))
            #expect(doubt == (way.hidesRows ? .hidden : .lost(since: days(40))))
            // Others that write meanwhile, and flushes of nothing new, change nothing.
            let (other, second) = try await servers.begin()
            _ = try? await other.flush(on: servers.pool, at: days(40, wait + 1))
            await #expect(throws: PGError.self) { try await census.flush(on: servers.pool, at: days(40, wait + 70)) }
            #expect(try await servers.doubt(at: days(40, wait + 70)) != nil)
            try await servers.mendWriting(way)
            for server in [census, other] {
                do { try await server.flush(on: servers.pool, at: days(40, wait + 80)) } catch {
                    Issue.record("\(String(reflecting: error))")
                }
            }
            guard case .notYet(let obstacle) = try await servers.answer(at: days(40, wait + 80)) else {
                Issue.record("The gate is open.")
                return
            }
            #expect(obstacle.doubt == nil && obstacle.latest?.version == "0.0.3" && obstacle.since == start)
            for server in [census, other] { try await server.flush(on: servers.pool, at: days(71)) }
            #expect(try await servers.answer(at: days(71)) == .satisfied)
            await second.close()
        }
    }

    /// However lately it had written.
    @Test(arguments: CensusBreakage.allCases.filter { !$0.silencesServers })
    func whatAServerLosesAtItsEndBeginsTheCensusAnew(way: CensusBreakage) async throws {
        try await breaking(way) { servers, census, presence in
            try await census.end(on: servers.pool)
            await presence.close()
            try await servers.mendWriting(way)
            #expect(try await servers.doubt(at: days(40, 20)) == .lost(since: days(40)))
            let (next, other) = try await servers.begin()
            try await next.flush(on: servers.pool, at: days(40, 30))
            try await servers.notice(by: next, at: days(40, 30))
            try await next.flush(on: servers.pool, at: days(70))
            guard case .notYet(let obstacle) = try await servers.answer(at: days(70)) else {
                Issue.record("The gate is open.")
                return
            }
            #expect(obstacle.since == days(40, 30) && obstacle.doubt == nil)
            try await next.flush(on: servers.pool, at: days(70, 30))
            #expect(try await servers.answer(at: days(70, 30)) == .satisfied)
            await other.close()
        }
    }

    /// The rows exist, and a gate that cannot read them must not take them for none.
    @Test(arguments: CensusBreakage.allCases.filter(\.hidesRows))
    func whatAPolicyHidesFromTheGateKeepsItShut(way: CensusBreakage) async throws {
        try await CensusServers.lend { servers in
            let (census, presence) = try await servers.begin()
            try await census.flush(on: servers.pool, at: start)
            try servers.see("0.0.3", census, by: phone, at: days(39))
            try await census.flush(on: servers.pool, at: days(40))
            try await servers.breakWriting(way)
            #expect(try await servers.doubt(at: days(40)) == .hidden)
            try await servers.mendWriting(way)
            #expect(try await servers.doubt(at: days(40)) == nil)
            await presence.close()
        }
    }

    /// A second flush that finds nothing to write says nothing while the first may still fail.
    @Test func aFlushBesideAnotherDoesNotSpeakForIt() async throws {
        try await CensusServers.lend { servers in
            let (census, presence) = try await servers.begin()
            try await census.flush(on: servers.pool, at: start)
            // The first waits for a lock, which it gets when the transaction ends.
            let blocker = try await servers.database.session()
            try await blocker.runScript("BEGIN; LOCK TABLE sync.census_device IN ACCESS EXCLUSIVE MODE")
            try servers.see("0.0.3", census, by: phone, at: days(40))
            async let first = census.flush(on: servers.pool, at: days(40))
            try await eventually("the first has taken it") { census.counts.due == 0 }
            async let second = census.flush(on: servers.pool, at: days(40))
            try await blocker.runScript(
                """
                CREATE FUNCTION public.broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
                CREATE TRIGGER broken BEFORE INSERT ON sync.census_device
                    FOR EACH ROW EXECUTE FUNCTION public.broken();
                COMMIT
                """)
            let results = await [try? first, try? second]
            #expect(results.contains(nil), "\(results)")
            #expect(try await servers.doubt(at: days(40)) == .lost(since: start))
            for session in [blocker, presence] { await session.close() }
        }
    }

    /// A loss that the census does not take down is none that is forgotten.
    @Test(arguments: ["RETURN NULL;", "NEW.watched_since := OLD.watched_since; RETURN NEW;"])
    func aLossThatCannotBeNotedStays(body: String) async throws {
        try await breaking(.null) { servers, _, presence in
            await presence.close()
            try await servers.mendWriting(.null)
            try await servers.run(
                """
                CREATE FUNCTION public.kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body) END $$;
                CREATE TRIGGER kept BEFORE UPDATE ON sync.census FOR EACH ROW EXECUTE FUNCTION public.kept();
                """)
            let (next, other) = try await servers.begin()
            // PostgreSQL notices a moment later that the session is gone; until then this one only counts.
            var isNoticed = false
            while !isNoticed {
                do { try await next.flush(on: servers.pool, at: days(40, 600)) } catch { isNoticed = true }
                #expect(try await servers.doubt(at: days(40, 600)) != nil)
                if !isNoticed { try servers.see("0.1.1", next, by: .random(), at: days(40, 600)) }
            }
            #expect(try await servers.doubt(at: days(40, 600)) != nil)
            await other.close()
        }
    }
}
