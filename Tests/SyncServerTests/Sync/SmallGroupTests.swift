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

/// Small pushes into different spaces that wait for each other share a transaction, each behind its own wall.
@Suite struct SmallGroupTests {
    @Test func pushesIntoManySpacesAreOneTransaction() async throws {
        try await withFloor { (floor) async throws in
            let spaces = (0..<3).map { _ in ID.random() }.sorted()
            let meals = spaces.map { _ in ID.random() }
            let created = try await floor.run(zip(spaces, meals).map { try floor.creating($1, in: $0) })
            #expect(created.count { $0.isDone } == 3)
            let updated = try await floor.run(zip(spaces, meals).map { try floor.updating($1, in: $0) })
            #expect(updated.count { $0.isDone } == 3)
            #expect(try await floor.notes() == spaces.map { "\($0) stew 2" })
            #expect(try await floor.transactionCount() == 1)
        }
    }

    /// The second of three that wait is refused for its cursor. The others are stored, each for itself.
    @Test func whatOneCannotDoKeepsNoOther() async throws {
        try await withFloor { (floor) async throws in
            let alike = try await floor.pushTogether(cursors: [nil, nil, nil])
            #expect(alike.map { try? $0.get() } == Array(repeating: [.applied], count: 3))
            #expect(try await floor.transactionCount() == 1)
            let verdicts = try await floor.pushTogether(cursors: [nil, floor.foreignCursor, nil])
            #expect(verdicts.map { try? $0.get() } == [[.applied], nil, [.applied]])
            let error = #expect(throws: SyncError.self) { try verdicts[1].get() }
            #expect(error.map { "\($0)" } == "\(SyncError.badCursor)")
            #expect(try await floor.transactionCount() == 3)
        }
    }

    /// A mistake that takes one space for another: row-level security hides the row, and nothing of any push is stored.
    @Test func aMixUpOfSpacesIsStopped() async throws {
        try await withFloor { (floor) async throws in
            let spaces = (0..<2).map { _ in ID.random() }.sorted()
            let meals = spaces.map { _ in ID.random() }
            _ = try await floor.run(zip(spaces, meals).map { try floor.creating($1, in: $0) })
            let before = try await floor.notes()
            let wrong: @Sendable (ID) -> Command = { _ in Spaces.entering(spaces[0]) }
            await #expect(throws: (any Error).self) {
                try await floor.run(zip(spaces, meals).map { try floor.updating($1, in: $0) }, entering: wrong)
            }
            // Only where it writes.
            let calls = Calls()
            let late: @Sendable (ID) -> Command = { space in
                Spaces.entering(calls.next() <= 3 ? space : spaces[0])
            }
            await #expect(throws: WroteElsewhere.self) {
                try await floor.run(zip(spaces, meals).map { try floor.updating($1, in: $0) }, entering: late)
            }
            #expect(try await floor.notes() == before)
            #expect(try await floor.run(zip(spaces, meals).map { try floor.updating($1, in: $0) }).count == 2)
        }
    }

    /// Somebody else's transaction holds spaces: more than there are transactions of small pushes at a time.
    @Test(.timeLimit(.minutes(5))) func whoWaitsForALockKeepsNoOtherFromItsTurn() async throws {
        try await withFloor { (floor) async throws in
            let held = (0...PushQueue.smallTurnsMax).map { _ in ID.random() }
            for space in held { #expect(try await floor.push(into: space) == [.applied]) }
            let (isLocked, isDone) = (Gate(), Gate())
            let session = try await Session.open(floor.database.superuserConnectionString, settings: .patient)
            let holder = Task {
                try await session.transaction { session in
                    try session.execute(
                        Command("SELECT FROM sync.space WHERE space_id = ANY ($1) FOR UPDATE", [.ids(held)]))
                    isLocked.open()
                    isDone.block()
                }
            }
            await isLocked.wait()
            let waiting = held.map { space in Task { try await floor.push(into: space) } }
            for _ in 0..<3 { #expect(try await floor.push(into: .random()) == [.applied]) }
            isDone.open()
            try await holder.value
            for push in waiting { #expect(try await push.value == [.applied]) }
            await session.close()
        }
    }

    /// One begins at once; those that come then wait until they are worth another turn, and the rest for an end.
    @Test func whatComesMeanwhileSharesTheNextTurn() async throws {
        try await withFloor { (floor) async throws in
            let queue = PushQueue.acrossSpaces(
                turnsMax: 2, worthATurn: 3, slowTurnsMax: 2, slowAfter: .seconds(600), waitMax: .seconds(600))
            let isFree = Gate()
            func push() -> Task<PushAttempt, any Error> {
                Task {
                    try await queue.run(floor.creating(.random(), in: .random())) { pushes, _ in
                        await isFree.wait()
                        return pushes.map { _ in .insertConflict }
                    }
                }
            }
            var tasks = [push()]
            try await eventually("the first begins") { queue.counts.turns == 1 }
            tasks += [push(), push()]
            try await eventually("two wait") { queue.waitingCount == 2 }
            #expect(queue.counts.turns == 1)
            tasks.append(push())
            try await eventually("three begin") { queue.counts.turns == 2 }
            tasks += (0...PushQueue.smallMax).map { _ in push() }
            try await eventually("the rest wait") { queue.waitingCount == PushQueue.smallMax + 1 }
            isFree.open()
            for task in tasks { _ = try await task.value }
            #expect(queue.counts.members == tasks.count && queue.counts.turns == 4)
        }
    }

    /// A turn runs in its first member's task. Where that is given up before it has a session, the others go on.
    @Test func whoIsGivenUpTakesNobodyAlong() async throws {
        try await withFloor { (floor) async throws in
            let queue = PushQueue.acrossSpaces(
                turnsMax: 1, slowTurnsMax: 1, slowAfter: .seconds(600), waitMax: .seconds(600))
            let isFree = Gate()
            func push(_ work: @escaping @Sendable (Int) async throws -> Void) -> Task<PushAttempt, any Error> {
                Task {
                    try await queue.run(floor.creating(.random(), in: .random())) { pushes, _ in
                        try await work(pushes.count)
                        return pushes.map { _ in .insertConflict }
                    }
                }
            }
            let busy = push { _ in await isFree.wait() }
            try await eventually("one is at work") { queue.counts.turns == 1 }
            let first = push { count in if count == 3 { throw PGError.cancelled } }
            try await eventually("the first waits") { queue.waitingCount == 1 }
            let others = [push { _ in }, push { _ in }]
            try await eventually("the others wait") { queue.waitingCount == 3 }
            isFree.open()
            _ = try await busy.value
            await #expect(throws: PGError.self) { try await first.value }
            for other in others { _ = try await other.value }
            #expect(queue.waitingCount == 0 && queue.underWayCount == 0)
        }
    }

    /// The first never ends by itself: those behind it would wait for ever.
    @Test(.timeLimit(.minutes(2))) func aSlowTurnKeepsNobodyWaiting() async throws {
        try await withFloor { floor in
            let queue = PushQueue.acrossSpaces(turnsMax: 1, slowTurnsMax: 2, waitMax: .seconds(600))
            let isFree = Gate()
            var tasks: [Task<Void, any Error>] = []
            func begin(_ body: @escaping @Sendable () async -> Void) {
                tasks.append(
                    Task {
                        _ = try await queue.run(floor.creating(.random(), in: .random())) { pushes, _ in
                            await body()
                            return pushes.map { _ in .insertConflict }
                        }
                    })
            }
            begin { await isFree.wait() }
            try await eventually("others have their turn") {
                begin {}
                return queue.counts.turns > 1
            }
            isFree.open()
            for task in tasks { try await task.value }
        }
    }

    @Test(.timeLimit(.minutes(2))) func whatOnlyWaitsLetsOthersBegin() async throws {
        try await withFloor { floor in
            let queue = PushQueue.acrossSpaces(
                turnsMax: 1, slowTurnsMax: 2, slowAfter: .seconds(600), waitMax: .seconds(600))
            let (hasBegun, isWaiting, isFree) = (Gate(), Gate(), Gate())
            let first = Task {
                try await queue.run(floor.creating(.random(), in: .random())) { pushes, onlyWaits in
                    hasBegun.open()
                    await isWaiting.wait()
                    onlyWaits()
                    await isFree.wait()
                    return pushes.map { _ in .insertConflict }
                }
            }
            await hasBegun.wait()
            let second = Task {
                try await queue.run(floor.creating(.random(), in: .random())) { pushes, _ in
                    pushes.map { _ in .insertConflict }
                }
            }
            try await eventually("it waits") { queue.waitingCount == 1 }
            isWaiting.open()
            _ = try await second.value
            isFree.open()
            _ = try await first.value
        }
    }

    private func withFloor(_ body: (Floor) async throws -> Void) async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            // So that slow turns are no more than quick ones.
            let limits = PoolLimits.patient(sessionsMax: 2 * PushQueue.smallTurnsMax)
            let pool = Pool(
                database.connectionString, role: "syncserver_serving", settings: .patient, limits: limits)
            try await body(
                Floor(
                    database: database, pool: pool,
                    engine: SyncEngine(plan: Plan(FitIQPlan.self), databases: Databases(directory: pool))))
            await pool.close()
        }
    }
}

private final class Calls: Sendable {
    private let counted = Atomic(0)

    /// Returns the number of this call, from 1.
    func next() -> Int { counted.add(1, ordering: .relaxed).newValue }
}

/// An engine, and pushes made by hand.
private struct Floor: Sendable {
    let database: TestDatabase
    let pool: Pool
    let engine: SyncEngine

    func change(_ change: JSONValue) throws -> Change {
        let document = try JSONDocument(parsing: change.bytes)
        let reader = ChangeReader(
            plan: engine.plan, version: engine.plan.shapes.count - 1, mode: .patch, hasDevice: true,
            statesFingerprint: false)
        return try reader.read(document.root).get()
    }

    func creating(_ id: ID, in space: ID) throws -> Push {
        try push(.create("SDMeal", id, ["notes": "soup"], at: moment(1)), in: space)
    }

    func updating(_ id: ID, in space: ID) throws -> Push {
        try push(.update("SDMeal", id, ["notes": "stew"], at: moment(2)), in: space)
    }

    private func push(_ change: JSONValue, in space: ID) throws -> Push {
        let change = try self.change(change)
        return Push(
            space: space, device: .random(), mode: .patch, count: 1,
            changes: [(0, change, change.stamp ?? engine.clock.next())], latestAccepted: engine.clock.latestAccepted,
            clampedTo: engine.clock.next(), cursor: nil, reading: .nothing, massDeletions: nil,
            quarantine: PushQuarantine(engine.plan, mode: .patch))
    }

    /// In one transaction.
    func run(
        _ pushes: [Push], entering: @escaping @Sendable (ID) -> Command = Spaces.entering
    ) async throws -> [PushAttempt] {
        try await engine.database(at: 0).transactions.run(
            in: pushes[0].space, lockTimeout: PushRunner.sharedLockTimeout
        ) { [store = engine.store] session in
            try PushTransaction(store: store, entering: entering).runAcrossSpaces(pushes, on: session)
        }
    }

    /// A cursor of another space.
    var foreignCursor: Cursor {
        Cursor(
            epoch: .random(), seq: 0, head: 0, cleared: 0, schema: engine.plan.shapes.last!, app: engine.plan.app,
            space: .random())
    }

    /// Pushes into as many spaces, which come while all transactions of small pushes are under way.
    func pushTogether(cursors: [Cursor?]) async throws -> [Result<[Verdict], any Error>] {
        let (queue, isFree) = (engine.database(at: 0).pushes.sharedQueue, Gate())
        var busy: [Task<PushAttempt, any Error>] = []
        for _ in 0..<PushQueue.smallTurnsMax {
            let hasBegun = Gate()
            busy.append(
                Task {
                    try await queue.run(creating(.random(), in: .random())) { pushes, onlyWaits in
                        // So that the next begins as well.
                        onlyWaits()
                        hasBegun.open()
                        await isFree.wait()
                        return pushes.map { _ in .insertConflict }
                    }
                })
            await hasBegun.wait()
        }
        var pushes: [Task<[Verdict], any Error>] = []
        for (index, cursor) in cursors.enumerated() {
            pushes.append(Task { try await push(into: .random(), cursor: cursor) })
            try await eventually("it waits") { queue.waitingCount == index + 1 }
        }
        isFree.open()
        for task in busy { _ = try await task.value }
        var verdicts: [Result<[Verdict], any Error>] = []
        for push in pushes { verdicts.append(await push.result) }
        return verdicts
    }

    func push(into space: ID, cursor: Cursor? = nil) async throws -> [Verdict] {
        let change = JSONValue.create("SDMeal", .random(), ["notes": "soup"], at: moment(1))
        let document = try JSONDocument(parsing: JSONValue.array([change]).bytes)
        let caller = SyncEngine.Caller(space: space, version: engine.plan.shapes.count - 1, device: .random())
        return try await engine.push(document.root, cursor: cursor, as: caller).verdicts
    }

    /// Space, notes and head of each record, in the order of their spaces.
    func notes() async throws -> [String] {
        let session = try await Session.open(database.superuserConnectionString)
        let rows = try await session.execute(
            """
            SELECT r.space_id || ' ' || r.notes || ' ' || s.head
            FROM fitiq.sd_meal AS r JOIN sync.space AS s USING (space_id) ORDER BY r.space_id
            """)
        await session.close()
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    func transactionCount() async throws -> Int {
        let session = try await Session.open(database.superuserConnectionString)
        let rows = try await session.execute("SELECT count(DISTINCT xmin::text) FROM fitiq.sd_meal")
        await session.close()
        return Int(rows.int(0, 0))
    }
}

extension PushAttempt {
    fileprivate var isDone: Bool { if case .done = self { true } else { false } }
}
