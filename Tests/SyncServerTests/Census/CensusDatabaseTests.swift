import DemoApps
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// The census in the database: many devices at once, whose it is, and how long it lasts.
@Suite struct CensusDatabaseTests {
    private let start = Timestamp(microseconds: 1_900_000_000_000_000)
    private let plan = Result { try Plan(FitIQPlan.self) }

    private func withDatabase(_ body: (TestDatabase, Pool) async throws -> Void) async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            try await database.withServingPool { pool in try await body(database, pool) }
        }
    }

    /// More than one statement's worth, from two processes that see the same devices in different orders.
    @Test func twoServersFlushTheSameDevicesAtTheSameTime() async throws {
        try await withDatabase { database, pool in
            let censuses = [Census([try plan.get()]), Census([try plan.get()])]
            let devices = (0..<UInt64(Census.rowsMax + 1)).map { ID(high: 7, low: $0) }
            for round in 0..<3 {
                let now = start.adding(.seconds(round * 1_200))
                for device in devices {
                    censuses[0].taker(for: 0).note(3, by: device, of: Subject("\(device)"), outboxAge: nil, at: now)
                }
                // News too, whoever of the two comes first.
                let earlier = now.adding(.seconds(-400))
                for device in devices.reversed() {
                    censuses[1].taker(for: 0).note(3, by: device, of: Subject("\(device)"), outboxAge: nil, at: earlier)
                }
                async let one = censuses[0].flush(on: pool, at: now)
                async let other = censuses[1].flush(on: pool, at: now)
                // Each that finds the other's row leaves it; two that write at the same moment both do.
                let written = try await one + other
                #expect((devices.count...2 * devices.count).contains(written))
            }
            let rows = try await database.censusRows()
            #expect(rows.count == devices.count)
            #expect(rows.allSatisfy { $0.first <= 1_900_000_000 && $0.last == 1_900_002_400 })
        }
    }

    /// It has no space, so the wall is that the serving role sees nothing of it.
    @Test func theServingRoleWritesTheCensusAndReadsNothing() async throws {
        try await withDatabase { database, pool in
            let forbidden: [Statement] = [
                "SELECT FROM sync.census_device", "SELECT since FROM sync.census",
                "UPDATE sync.census_device SET last_seen = now()", "DELETE FROM sync.census_device",
                "INSERT INTO sync.census_device VALUES ('fitiq', gen_random_uuid(), '0.0.1', now(), now(), 1)",
                "UPDATE sync.census SET since = '2000-01-01'", "TRUNCATE sync.census_device",
            ]
            for statement in forbidden {
                await #expect(throws: PGError.self, "\(statement.sql)") {
                    try await pool.withSession { session in try await session.execute(Command(statement)) }
                }
            }
            let session = try await database.session()
            let anyone = try await session.execute(
                """
                SELECT proname, has_function_privilege('public', oid, 'EXECUTE') FROM pg_proc
                WHERE proname IN ('see_devices', 'forget_devices', 'count_forgettable_devices', 'count_devices',
                    'miss_devices', 'count_server', 'end_counting')
                """)
            await session.close()
            #expect(anyone.count == 7)
            for row in 0..<anyone.count { #expect(!anyone.bool(row, 1), "\(anyone.string(row, 0))") }
        }
    }

    /// A restored database lacks the uses since the backup: the census begins anew, and what this process had
    /// written is written again.
    @Test func anotherEpochBeginsTheCensusAnew() async throws {
        try await withDatabase { database, pool in
            let census = Census([try plan.get()])
            let device = ID(high: 7, low: 7)
            #expect(try await since(database) == nil)
            try await census.flush(on: pool, at: start)
            #expect(try await since(database) == start, "even where nobody was seen")
            census.taker(for: 0).note(
                0, by: device, of: Subject("\(device)"), outboxAge: nil, at: start.adding(.seconds(5)))
            try await census.flush(on: pool, at: start.adding(.seconds(10)))
            #expect(try await since(database) == start)
            try await database.run("DELETE FROM sync.census_device")
            try await database.run("UPDATE sync.server SET epoch = gen_random_uuid()")
            #expect(try await since(database) == nil)
            let unknown = ID(high: 7, low: 8)
            census.taker(for: 0).note(1, by: unknown, of: "stranger", outboxAge: nil, at: start.adding(.seconds(20)))
            #expect(try await census.flush(on: pool, at: start.adding(.seconds(20))) == 2)
            #expect(try await since(database) == start.adding(.seconds(20)))
            #expect(try await database.censusRows().map(\.device) == [device, unknown])
        }
    }

    private func since(_ database: TestDatabase) async throws -> Timestamp? {
        let session = try await database.session()
        let rows = try await session.execute(CensusTable.since)
        await session.close()
        return rows.count > 0 ? rows.timestamp(0, 0) : nil
    }

    @Test func whatWasNotSeenForAYearIsForgotten() async throws {
        try await withTestServer { server in
            try await server.database.run(
                """
                INSERT INTO sync.census_device
                SELECT 'fitiq', gen_random_uuid(), '0.0.1', now() - age, now() - age, NULL
                FROM unnest('{364 days,367 days,400 days}'::interval[]) AS age
                """)
            try await server.database.run(
                """
                INSERT INTO sync.census_device
                SELECT 'fitiq', gen_random_uuid(), '0.0.2', now() - interval '3 years', now() - interval '2 years', NULL
                FROM generate_series(1, \(Collecting.removedMax))
                """)
            let counted = try await CommandRun(
                ["gc", "--dry-run", "--app", "fitiq"], database: server.database.connectionString)
            #expect(counted.output.contains("1002 rows of the census"), "\(counted.output)\(counted.errors)")
            let reports = try await server.service.collect(olderThan: Collector.ageDefault)
            #expect(reports?.map(\.devices) == [1_002])
            #expect(try await server.database.censusRows().map(\.version) == ["0.0.1"])
        }
    }
}
