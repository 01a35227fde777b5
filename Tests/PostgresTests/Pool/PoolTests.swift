import SyncTestSupport
import SyncTesting
import Testing

@testable import Postgres

@Suite struct PoolTests {
    @Test func aPoolNeverOpensMoreThanItsLimit() async throws {
        try await withPool(.patient(sessionsMax: 2)) { pool, database in
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        try await pool.transaction { session in
                            try session.execute("SELECT pg_sleep(0.001)")
                            return session.serverProcessID
                        }
                    }
                }
                let processIDs = try await group.reduce(into: Set()) { $0.insert($1) }
                #expect(processIDs.count <= 2)
            }
            #expect(pool.counts.open <= 2 && pool.counts.leased == 0 && pool.counts.waiting == 0)
        }
    }

    @Test func aCallerThatWaitsTooLongIsTurnedAway() async throws {
        try await withPool(PoolLimits(sessionsMax: 1, waitMax: .milliseconds(1))) { pool, _ in
            try await whileTheOnlySessionIsLent(pool) {
                let error = await #expect(throws: PGError.self) { try await pool.withSession { _ in } }
                #expect(error?.caseName == "\(PGError.poolTimeout)")
                #expect(pool.counts.waiting == 0)
            }
            try await pool.withSession { _ in }
        }
    }

    @Test func oneCallerTooManyIsRefusedAtOnce() async throws {
        try await withPool(.patient(sessionsMax: 1, waitersMax: 1)) { pool, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await whileTheOnlySessionIsLent(pool) {
                    group.addTask { try await pool.withSession { _ in } }
                    try await eventually("one waits") { pool.counts.waiting == 1 }
                    let error = await #expect(throws: PGError.self) { try await pool.withSession { _ in } }
                    #expect(error?.caseName == "\(PGError.poolOverloaded)")
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func aCancelledCallerLeavesTheQueue() async throws {
        try await withPool(.patient(sessionsMax: 1)) { pool, _ in
            try await whileTheOnlySessionIsLent(pool) {
                let waiter = Task { try await pool.withSession { _ in } }
                try await eventually("one waits") { pool.counts.waiting == 1 }
                waiter.cancel()
                let error = await #expect(throws: PGError.self) { try await waiter.value }
                #expect(error?.caseName == "\(PGError.cancelled)")
                #expect(pool.counts.waiting == 0)
            }
            try await pool.withSession { _ in }
            #expect(pool.counts == PoolCounts(open: 1, idle: 1, leased: 0, waiting: 0))
        }
    }

    @Test func aSessionThatBrokeIsReplaced() async throws {
        try await withPool(.patient(sessionsMax: 1)) { pool, _ in
            await #expect(throws: PGError.self) {
                try await pool.transaction { session in
                    try session.execute("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(10)")
                }
            }
            #expect(pool.counts.open == 0)
            let one = try await pool.transaction { try $0.execute("SELECT 1::bigint").int(0, 0) }
            #expect(one == 1)
        }
    }

    @Test func aSessionThatDiedIdleIsReplacedBeforeItIsLent() async throws {
        try await withPool(PoolLimits(sessionsMax: 1, idleBeforePing: .zero)) { pool, database in
            let processID = try await pool.withSession { await $0.serverProcessID }
            try await Session.open(database.superuserConnectionString).terminate(processID)
            let newProcessID = try await pool.transaction { session in
                try session.execute("SELECT 1")
                return session.serverProcessID
            }
            #expect(newProcessID != processID)
        }
    }

    @Test func aServerThatIsNotThereFreesTheSlot() async throws {
        let nowhere = ConnectionString(socketDirectory: "/nonexistent", port: 1, user: "u", database: "d")
        let pool = Pool(nowhere, limits: PoolLimits(sessionsMax: 1))
        for _ in 0..<3 {
            let error = await #expect(throws: PGError.self) { try await pool.withSession { _ in } }
            #expect(error?.caseName == "unreachable")
        }
        #expect(pool.counts == PoolCounts(open: 0, idle: 0, leased: 0, waiting: 0))
    }

    @Test func closingWaitsForLeasesAndTurnsTheRestAway() async throws {
        try await withPool(.patient(sessionsMax: 1)) { pool, _ in
            let waiter = Task { try await pool.withSession { _ in } }
            try await waiter.value
            let session = try await pool.withSession { $0 }
            try await whileTheOnlySessionIsLent(pool) {
                let waiter = Task { try await pool.withSession { _ in } }
                try await eventually("one waits") { pool.counts.waiting == 1 }
                let closing = Task { await pool.close() }
                let error = await #expect(throws: PGError.self) { try await waiter.value }
                #expect(error?.caseName == "\(PGError.poolClosed)")
                #expect(session.isUsable)
                _ = closing
            }
            await pool.close()
            #expect(!session.isUsable)
            let error = await #expect(throws: PGError.self) { try await pool.withSession { _ in } }
            #expect(error?.caseName == "\(PGError.poolClosed)")
        }
    }

    private func withPool(_ limits: PoolLimits, _ body: (Pool, TestDatabase) async throws -> Void) async throws {
        try await withTestDatabase { database in
            let pool = Pool(database.connectionString, limits: limits)
            try await body(pool, database)
            await pool.close()
        }
    }

    private func whileTheOnlySessionIsLent(_ pool: Pool, _ body: () async throws -> Void) async throws {
        let lent = Gate()
        let done = Gate()
        async let lease: Void = pool.withSession { _ in
            lent.open()
            await done.wait()
        }
        await lent.wait()
        do {
            try await body()
            done.open()
        } catch {
            done.open()
            throw error
        }
        try await lease
    }
}
