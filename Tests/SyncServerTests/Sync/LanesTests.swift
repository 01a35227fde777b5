import Apps
import PGStore
import SyncTestSupport
import Synchronization
import Testing
import WireFormats

@testable import SyncServer

/// Many pushes into one space leave sessions to the others.
@Suite struct LanesTests {
    private let space = ID.random()

    @Test func asManyAsThereArePlacesAreInside() async throws {
        let (lanes, gate) = (Lanes(width: 2), Gate())
        let counter = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await lanes.withTurn(in: space) {
                        counter.enter()
                        await gate.wait()
                        counter.leave()
                    }
                }
            }
            try await eventually("all but two wait") { lanes.waitingCount == 18 }
            // Who comes to another space does not wait.
            try await lanes.withTurn(in: .random()) {}
            gate.open()
            try await group.waitForAll()
        }
        #expect(counter.most == 2 && counter.total == 20 && lanes.waitingCount == 0)
        try await lanes.withTurn(in: space) {}
    }

    @Test func aPlaceIsGivenBackByWhoFails() async throws {
        struct Failure: Error {}
        let lanes = Lanes(width: 1)
        for _ in 0..<2 {
            await #expect(throws: Failure.self) { try await lanes.withTurn(in: space) { throw Failure() } }
        }
    }

    @Test func oneTooManyIsRefusedAtOnce() async throws {
        let (lanes, gate) = (Lanes(width: 1), Gate())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0...Lanes.waitingMax {
                group.addTask { try await lanes.withTurn(in: space) { await gate.wait() } }
            }
            try await eventually("the queue is full") { lanes.waitingCount == Lanes.waitingMax }
            let error = await #expect(throws: PGError.self) { try await lanes.withTurn(in: space) {} }
            #expect(error.map { "\($0)" } == "\(PGError.poolOverloaded)")
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test func whoHasWaitedTooLongIsRefused() async throws {
        let (lanes, isInside, gate) = (Lanes(width: 1, waitMax: .zero), Gate(), Gate())
        let first = Task {
            try await lanes.withTurn(in: space) {
                isInside.open()
                await gate.wait()
            }
        }
        await isInside.wait()
        let second = Task { try await lanes.withTurn(in: space) {} }
        try await eventually("the second waits") { lanes.waitingCount == 1 }
        gate.open()
        try await first.value
        let error = await #expect(throws: PGError.self) { try await second.value }
        #expect(error.map { "\($0)" } == "\(PGError.poolTimeout)")
        try await lanes.withTurn(in: space) {}
    }

    /// Promise P9: while one space's lock is held, pushes into it wait, and another space's do not. With no more
    /// sessions than a space may hold, that one waits in vain, so the check can fail.
    @Test(arguments: [(sessions: 2, isServed: false), (sessions: 3, isServed: true)])
    func anotherSpaceIsServed(sessions: Int, isServed: Bool) async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let limits = PoolLimits(sessionsMax: sessions, waitMax: .milliseconds(isServed ? 20_000 : 50))
            let pool = Pool(database.connectionString, role: "syncserver_serving", limits: limits)
            let engine = try SyncEngine(plan: Plan(FitIQPlan.self), pool: pool)
            _ = try await push(into: space, engine)
            let (locked, done) = (Gate(), Gate())
            let holder = try await Session.open(database.connectionString)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await holder.transaction { [space] session in
                        try session.execute(Spaces.entering(space))
                        try session.execute(
                            Command("SELECT FROM sync.space WHERE space_id = $1 FOR UPDATE", [.id(space)]))
                        locked.open()
                        done.block()
                    }
                }
                await locked.wait()
                for _ in 0..<5 { group.addTask { _ = try await push(into: space, engine) } }
                try await eventually("all but two wait outside") { engine.lanes.waitingCount == 3 }
                try await eventually("two hold sessions") { pool.counts.leased == 2 }
                if isServed {
                    #expect(try await push(into: .random(), engine) == [.applied])
                } else {
                    let error = await #expect(throws: PGError.self) { try await push(into: .random(), engine) }
                    #expect(error.map { "\($0)" } == "\(PGError.poolTimeout)")
                }
                done.open()
                try await group.waitForAll()
            }
            await holder.close()
            await pool.close()
        }
    }

    private func push(into space: ID, _ engine: SyncEngine) async throws -> [Verdict] {
        let changes = JSONValue.array([.create("SDMeal", .random(), ["notes": "soup"], at: moment(1))])
        let document = try JSONDocument(parsing: changes.bytes)
        let caller = SyncEngine.Caller(space: space, version: engine.plan.shapes.count - 1, device: .random())
        return try await engine.push(document.root, cursor: nil, as: caller).verdicts
    }
}

/// How many are inside something.
private final class Counter: Sendable {
    private let counts = Mutex((now: 0, most: 0, total: 0))

    var most: Int { counts.withLock { $0.most } }
    var total: Int { counts.withLock { $0.total } }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.total += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
}
