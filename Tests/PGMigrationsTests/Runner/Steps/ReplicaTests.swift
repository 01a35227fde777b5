import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import Synchronization
import Testing

/// Backfills beside a replica that lags behind, and the server of the two that clients use. The tests run one after the
/// other, because they share two servers.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ReplicaTests {
    private static let table = """
        -- sync: silent
        CREATE TABLE sync.space (app text, space_id uuid, head bigint, PRIMARY KEY (app, space_id));
        CREATE SCHEMA app;
        CREATE TABLE app.note (space_id uuid, id uuid, length bigint, PRIMARY KEY (space_id, id));
        INSERT INTO app.note SELECT gen_random_uuid(), gen_random_uuid() FROM generate_series(1, 500);
        """
    private static let fill = """
        -- phase: backfill
        -- migrate: table=app.note batch=20
        -- sync: silent
        UPDATE app.note AS n SET length = coalesce(n.length, 0) + 1 FROM batch
        WHERE (n.space_id, n.id) = (batch.space_id, batch.id);
        """

    @Test("M18: a backfill waits for a replica that is behind, or says that it cannot tell")
    func aBackfillWaitsForAReplicaThatIsBehindOrSaysThatItCannotTell() async throws {
        try await Standby.with { standby in
            let string = standby.primary.connectionString
            try await migrator(string, files: 1).up()
            try await standby.replay(false)
            // The owner may not read the state of replicas.
            let blind = Events()
            try await migrator(string, files: 2).up(report: blind.take)
            #expect(blind.blindCount == 1 && !blind.isLagging.isOpen)

            let administrator = try await Session.open(
                standby.primary.superuserConnectionString.with(database: "syncserver"))
            try await administrator.execute("GRANT pg_read_all_stats TO syncserver_owner")
            try await eventually("the replica is behind by more than the limit") {
                try await administrator.execute(
                    "SELECT coalesce(max(replay_lag) > '200 ms', false) FROM pg_stat_replication"
                ).bool(0, 0)
            }
            let seeing = Events()
            let migrator = try migrator(string, files: 3)
            async let run = {
                // If the backfill does not wait, neither does the test.
                defer { seeing.isLagging.open() }
                return try await migrator.up(report: seeing.take)
            }()
            await seeing.isLagging.wait()
            let done = try await administrator.execute(
                "SELECT rows_done FROM sync.migration_step WHERE number = 3 AND state = 'running'")
            #expect(done.count == 1 && done.int(0, 0) < 500)
            try await standby.replay(true)
            #expect(try await run.applied.count == 1)
            #expect(seeing.blindCount == 0)
            let sum = try await administrator.execute("SELECT count(*) FROM app.note WHERE length = 2")
            #expect(sum.int(0, 0) == 500)
            await administrator.close()
        }
    }

    @Test func ofSeveralHostsThePrimaryIsMeant() async throws {
        try await Standby.with { standby in
            let hosts = [standby.replica, standby.primary].compactMap(\.superuserConnectionString.host)
            let both = "host=\(hosts.joined(separator: ",")) user=postgres dbname=postgres"
            for (text, isReplica) in [(both, false), ("\(both) target_session_attrs=any", true)] {
                let session = try await Session.open(ConnectionString(text))
                #expect(try await session.execute("SELECT pg_is_in_recovery()").bool(0, 0) == isReplica, "\(text)")
                await session.close()
            }
        }
    }

    /// - Parameter files: the number of the line's files to apply.
    private func migrator(_ string: ConnectionString, files count: Int) throws -> Migrator {
        let files = try [Self.table, Self.fill, Self.fill].prefix(count).enumerated().map { index, sql in
            try MigrationFile(line: "app", fileName: "000\(index + 1)-do-it.sql", bytes: Array(sql.utf8))
        }
        return Migrator(
            string, lines: [try MigrationLine(name: "app", files: files)],
            limits: MigratorLimits(backfillShare: 1, replicaLagMax: .milliseconds(200)))
    }
}

/// The events of a run that concern replicas.
private final class Events: Sendable {
    let isLagging = Gate()
    private let blind = Mutex(0)

    var blindCount: Int { blind.withLock { $0 } }

    func take(_ event: MigrationEvent) {
        switch event {
        case .lagging: isLagging.open()
        case .blind: blind.withLock { $0 += 1 }
        default: break
        }
    }
}
