import DemoApps
import PGStore
import Postgres
import StrictJSON
import SyncTestSupport
import SyncTesting
import Synchronization
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Pushes into one space that wait for each other share a transaction, and leave sessions to other spaces.
@Suite struct GroupCommitTests {
    private let space = ID.random()

    @Test func whatWaitedTogetherIsCommittedTogether() async throws {
        try await withBusySpace { busy in
            for _ in 0..<5 { try await busy.push() }
            let verdicts = try await busy.release()
            #expect(verdicts.map { try? $0.get() } == Array(repeating: [.applied], count: 6))
            #expect(try await busy.pushesByTransaction() == [1, 5])
        }
    }

    /// The second of a transaction finds what the first wrote there.
    @Test func whatIsWrittenInATransactionIsReadInIt() async throws {
        try await withBusySpace { busy in
            let id = ID.random()
            try await busy.push([.create("SDMeal", id, ["notes": "soup"], at: moment(1))])
            try await busy.push([.update("SDMeal", id, ["notes": "stew"], at: moment(2))])
            try await busy.push([.delete("SDMeal", id, at: moment(3))])
            let verdicts = try await busy.release()
            #expect(verdicts.map { try? $0.get() } == Array(repeating: [.applied], count: 4))
            #expect(try await busy.pushesByTransaction() == [1, 1])
            #expect(try await busy.notes(of: id) == "stew")
            #expect(try await busy.livingCount() == 1)
        }
    }

    /// While one commits, the next waits for the lock in PostgreSQL, and one behind it for its turn.
    @Test func theNextBeginsWhileOneCommits() async throws {
        try await withPatientEngine { database, pool, engine in
            let session = try await Session.open(database.superuserConnectionString, settings: .patient)
            try await session.execute(
                """
                CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$
                """)
            try await session.execute(
                """
                CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON fitiq.sd_meal DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION wait()
                """)
            try await session.execute("SELECT pg_advisory_lock(7)")
            // More than may be small.
            func push() -> Task<[Verdict], any Error> {
                Task { [space] in try await BusySpace.push(into: space, BusySpace.meals(20), nil, engine) }
            }
            var pushes = [push()]
            try await eventually("it commits") {
                try await session.execute(
                    """
                    SELECT count(*) FROM pg_locks
                    WHERE locktype = 'advisory' AND NOT granted
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    """
                ).number == 1
            }
            pushes.append(push())
            try await eventually("another waits for the lock") { pool.counts.leased == 2 }
            pushes.append(push())
            try await eventually("one waits for its turn") {
                engine.database(at: 0).pushes.spaceQueue.waitingCount == 1
            }
            #expect(try await pool.withSession { try await $0.execute("SELECT 1") }.count == 1)
            try await session.execute("SELECT pg_advisory_unlock(7)")
            for push in pushes { #expect(try await push.value == Array(repeating: .applied, count: 20)) }
            await session.close()
        }
    }

    /// The second of three that wait is refused for its cursor. The others are stored, each for itself.
    @Test func whatOneCannotDoKeepsNoOther() async throws {
        try await withBusySpace { busy in
            try await busy.push()
            try await busy.push(cursor: busy.foreignCursor)
            try await busy.push()
            let verdicts = try await busy.release()
            #expect(verdicts.map { try? $0.get() } == [[.applied], [.applied], nil, [.applied]])
            let error = #expect(throws: SyncError.self) { try verdicts[2].get() }
            #expect(error.map { "\($0)" } == "\(SyncError.badCursor)")
            #expect(try await busy.pushesByTransaction() == [1, 1, 1])
        }
    }

    @Test func aGroupHasNoMoreChangesThanAPushMay() async throws {
        try await withBusySpace { busy in
            try await busy.push(changes: SyncEngine.changesMax - 1)
            try await busy.push()
            try await busy.push()
            _ = try await busy.release()
            #expect(try await busy.pushesByTransaction() == [1, SyncEngine.changesMax, 1])
        }
    }

    @Test func oneTooManyIsRefusedAtOnce() async throws {
        try await withBusySpace { busy in
            for _ in 0..<PushQueue.waitingMax { try await busy.push() }
            let error = await #expect(throws: PGError.self) { try await busy.pushNow(into: space) }
            #expect(error.map { "\($0)" } == "\(PGError.poolOverloaded)")
            _ = try await busy.release()
        }
    }

    @Test func whoHasWaitedTooLongIsRefused() async throws {
        try await withBusySpace(waitMax: .zero) { busy in
            try await busy.push()
            let verdicts = try await busy.release()
            #expect(try verdicts[0].get() == [.applied])
            let error = #expect(throws: PGError.self) { try verdicts[1].get() }
            #expect(error.map { "\($0)" } == "\(PGError.poolTimeout)")
            #expect(try await busy.pushNow(into: space) == [.applied])
        }
    }

    /// An error of the whole group is reported to each of its pushes, and none is tried again.
    @Test func anErrorOfTheGroupIsReportedToEachPush() async throws {
        let queue = PushQueue.perSpace(waitMax: .seconds(600))
        let push = try emptyPush
        let (hasBegun, isFree) = (Gate(), Gate())
        let first = Task {
            try await queue.run(push) { _, _ in
                hasBegun.open()
                await isFree.wait()
                return [.insertConflict]
            }
        }
        await hasBegun.wait()
        let runs = Runs()
        let others = (0..<3).map { _ in
            Task {
                try await queue.run(push) { pushes, _ in
                    runs.note(pushes.count)
                    throw PGError.poolClosed
                }
            }
        }
        try await eventually("they wait") { queue.waitingCount == 3 }
        isFree.open()
        _ = try await first.value
        for other in others {
            let error = await #expect(throws: PGError.self) { try await other.value }
            #expect(error.map { "\($0)" } == "\(PGError.poolClosed)")
        }
        #expect(runs.noted == [3])
    }

    /// Who was let in before is not one too many when it is run again.
    @Test func whatIsRunAgainIsLetIn() async throws {
        let queue = PushQueue.perSpace(waitMax: .seconds(600))
        var push = try emptyPush
        let (hasBegun, isFree) = (Gate(), Gate())
        let first = Task { [push] in
            try await queue.run(push) { _, _ in
                hasBegun.open()
                await isFree.wait()
                return [.insertConflict]
            }
        }
        await hasBegun.wait()
        let others = (0..<PushQueue.waitingMax).map { _ in
            Task { [push] in try await queue.run(push) { pushes, _ in pushes.map { _ in .insertConflict } } }
        }
        try await eventually("they wait") { queue.waitingCount == PushQueue.waitingMax }
        let oneTooMany = await Task { [push] in
            try await queue.run(push) { pushes, _ in pushes.map { _ in .insertConflict } }
        }.result
        #expect(throws: PGError.self) { try oneTooMany.get() }
        push.attempts = 2
        let again = Task { [push] in try await queue.run(push) { pushes, _ in pushes.map { _ in .insertConflict } } }
        try await eventually("it waits") { queue.waitingCount == PushQueue.waitingMax + 1 }
        isFree.open()
        for task in [first, again] + others { _ = try await task.value }
    }

    private var emptyPush: Push {
        get throws {
            let plan = try Plan(FitIQPlan.self)
            let now = Stamp(unchecked: moment(1))
            return Push(
                space: space, device: nil, mode: .patch, count: 0, changes: [], latestAccepted: now, clampedTo: now,
                cursor: nil, reading: .nothing, massDeletions: nil, quarantine: PushQuarantine(plan, mode: .patch))
        }
    }

    /// Promise P9: pushes that wait for a space keep no session from another. With no more sessions than the busy space
    /// holds, that one waits in vain, so the check can fail.
    @Test(arguments: [(sessions: 1, isServed: false), (sessions: 2, isServed: true)])
    func anotherSpaceIsServed(sessions: Int, isServed: Bool) async throws {
        try await withBusySpace(sessions: sessions) { busy in
            for _ in 0..<5 { try await busy.push() }
            let other = Task { try await busy.pushNow(into: .random()) }
            if isServed {
                #expect(try await other.value == [.applied])
            } else {
                try await eventually("it waits for a session") { busy.pool.counts.waiting == 1 }
            }
            _ = try await busy.release()
            #expect(try await other.value == [.applied])
        }
    }

    /// Lends a space whose lock is held, with a push that waits for it in PostgreSQL.
    ///
    /// - Parameter waitMax: how long a push waits for its turn and for a session; ten minutes, since those that wait
    ///   are pushed one after the other, which takes long on a busy machine.
    private func withBusySpace(
        sessions: Int = 4, waitMax: Duration = .seconds(600), _ body: (BusySpace) async throws -> Void
    ) async throws {
        try await withPatientEngine(sessions: sessions, waitMax: waitMax) { database, pool, engine in
            try await body(BusySpace(space, database, pool, engine))
        }
    }

    /// Lends a server's engine whose sessions wait for any lock as long as it is held.
    private func withPatientEngine(
        sessions: Int = 4, waitMax: Duration = .seconds(600),
        _ body: (TestDatabase, Pool, SyncEngine) async throws -> Void
    ) async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let pool = Pool(
                database.connectionString, role: "syncserver_serving", settings: .patient,
                limits: PoolLimits(sessionsMax: sessions, waitMax: waitMax))
            let engine = try SyncEngine(plan: Plan(FitIQPlan.self), databases: Databases(directory: pool))
            try await body(database, pool, engine)
            await pool.close()
        }
    }
}

/// A record of the number of pushes of each transaction.
private final class Runs: Sendable {
    private let counts = Mutex<[Int]>([])

    var noted: [Int] { counts.withLock(\.self) }

    func note(_ count: Int) { counts.withLock { $0.append(count) } }
}

/// A space whose lock somebody holds, and the pushes that wait for it.
private actor BusySpace {
    private let space: ID
    private let database: TestDatabase
    let pool: Pool
    private let engine: SyncEngine
    private let isDone = Gate()
    private let holder: Task<Void, any Error>
    private var pushes: [Task<[Verdict], any Error>] = []

    /// The space holds one record, and one push waits for its lock.
    init(_ space: ID, _ database: TestDatabase, _ pool: Pool, _ engine: SyncEngine) async throws {
        self.space = space
        self.database = database
        self.pool = pool
        self.engine = engine
        let (isLocked, isDone) = (Gate(), isDone)
        _ = try await BusySpace.push(into: space, BusySpace.meals(1), nil, engine)
        let session = try await Session.open(database.superuserConnectionString, settings: .patient)
        try await session.execute("TRUNCATE fitiq.sd_meal")
        holder = Task {
            try await session.transaction { session in
                try session.execute(Command("SELECT FROM sync.space WHERE space_id = $1 FOR UPDATE", [.id(space)]))
                isLocked.open()
                isDone.block()
            }
            await session.close()
        }
        await isLocked.wait()
        pushes.append(Task { try await BusySpace.push(into: space, BusySpace.meals(1), nil, engine) })
        // By itself: among small pushes it has waited no longer than they may.
        try await eventually("a push waits for the lock") {
            engine.database(at: 0).pushes.sharedQueue.counts.turns == 2
                && engine.database(at: 0).pushes.sharedQueue.underWayCount == 0
                && pool.counts.leased == 1
        }
    }

    /// A cursor of another space.
    nonisolated var foreignCursor: Cursor {
        Cursor(
            epoch: .random(), seq: 0, head: 0, cleared: 0, schema: engine.plan.shapes.last!, app: engine.plan.app,
            space: .random())
    }

    /// Begins a push, which waits behind those before it.
    func push(changes: Int = 1, cursor: Cursor? = nil) async throws {
        try await push(BusySpace.meals(changes), cursor: cursor)
    }

    func push(_ changes: [JSONValue], cursor: Cursor? = nil) async throws {
        let count = engine.database(at: 0).pushes.spaceQueue.waitingCount
        pushes.append(Task { [space, engine] in try await BusySpace.push(into: space, changes, cursor, engine) })
        try await eventually("it waits") { [engine] in
            engine.database(at: 0).pushes.spaceQueue.waitingCount == count + 1
        }
    }

    /// A push that somebody waits for.
    nonisolated func pushNow(into space: ID) async throws -> [Verdict] {
        try await BusySpace.push(into: space, BusySpace.meals(1), nil, engine)
    }

    /// Lets the lock go.
    ///
    /// - Returns: what became of each push, in their order.
    func release() async throws -> [Result<[Verdict], any Error>] {
        isDone.open()
        try await holder.value
        var verdicts: [Result<[Verdict], any Error>] = []
        for push in pushes { verdicts.append(await push.result) }
        return verdicts
    }

    /// Returns the number of records that each transaction wrote, in their order.
    func pushesByTransaction() async throws -> [Int] {
        let rows = try await rows("SELECT count(*) FROM fitiq.sd_meal GROUP BY xmin ORDER BY min(seq)")
        return (0..<rows.count).map { Int(rows.int($0, 0)) }
    }

    func notes(of id: ID) async throws -> String? {
        try await rows(Command("SELECT notes FROM fitiq.sd_meal WHERE id = $1", [.id(id)])).stringIfPresent(0, 0)
    }

    func livingCount() async throws -> Int {
        try await rows("SELECT count(*) FROM fitiq.sd_meal WHERE alive").number
    }

    private func rows(_ command: Command) async throws -> Rows {
        let session = try await Session.open(database.superuserConnectionString)
        let rows = try await session.execute(command)
        await session.close()
        return rows
    }

    static func meals(_ count: Int) -> [JSONValue] {
        (0..<count).map { _ in .create("SDMeal", .random(), ["notes": "soup"], at: moment(1)) }
    }

    static func push(
        into space: ID, _ changes: [JSONValue], _ cursor: Cursor?, _ engine: SyncEngine
    ) async throws -> [Verdict] {
        let document = try JSONDocument(parsing: JSONValue.array(changes).bytes)
        let caller = SyncEngine.Caller(space: space, version: engine.plan.shapes.count - 1, device: .random())
        let result = try await engine.push(document.root, cursor: cursor, as: caller)
        return result.verdicts
    }
}
