import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Synchronization
import Testing

@Suite struct MigratorTests {
    @Test func pendingFilesAreAppliedInOrderAndOnce() async throws {
        try await withTestDatabase { database in
            let lines = try [
                line("sync", ["CREATE TABLE sync.a (x bigint);", "ALTER TABLE sync.a ADD y text; SELECT 1;"]),
                line("app", ["CREATE SCHEMA app; CREATE TABLE app.b AS SELECT x FROM sync.a;"]),
            ]
            let migrator = Migrator(database.connectionString, lines: lines)
            #expect(try await migrator.status().map(\.state) == [.pending, .pending, .pending])
            let applied = try await migrator.up().applied
            #expect(applied == ["sync/0001-do-it.sql", "sync/0002-do-it.sql", "app/0001-do-it.sql"])
            #expect(try await migrator.up().applied == [])
            let states = try await migrator.status().map(\.state)
            #expect(states.allSatisfy { if case .applied = $0 { true } else { false } })
            #expect(try await count("SELECT count(y) FROM sync.a", database) == 0)
        }
    }

    @Test func upStopsAtItsTarget() async throws {
        try await withTestDatabase { database in
            let lines = try [line("sync", ["SELECT 1", "SELECT 2", "SELECT 3"]), line("app", ["SELECT 1"])]
            let migrator = Migrator(database.connectionString, lines: lines)
            let applied = try await migrator.up(to: MigrationID(line: "sync", number: 2)).applied
            #expect(applied == ["sync/0001-do-it.sql", "sync/0002-do-it.sql"])
            // An app's tables refer to the server's own.
            let app = try await migrator.up(to: MigrationID(line: "app", number: 1)).applied
            #expect(app == ["sync/0003-do-it.sql", "app/0001-do-it.sql"])
            let error = await #expect(throws: MigrationError.self) {
                try await migrator.up(to: MigrationID(line: "sync", number: 9))
            }
            guard case .noSuchTarget = error else { Issue.record("\(String(describing: error))"); return }
        }
    }

    @Test("S4_03, S5_16, M4: a migration that fails leaves nothing and says where")
    func aFileThatFailsLeavesNothingAndSaysWhere() async throws {
        try await withTestDatabase { database in
            let lines = try [
                line("sync", ["CREATE TABLE sync.a (x bigint)", "CREATE TABLE sync.b (x bigint);\n\nSELECT nonsense;"])
            ]
            let error = try #require(
                await #expect(throws: MigrationError.self) {
                    try await Migrator(database.connectionString, lines: lines).up()
                })
            guard case .failed(path: "sync/0002-do-it.sql", line: 3, _) = error else {
                Issue.record("\(error)"); return
            }
            #expect(error.description.contains("nonsense"))
            #expect(try await count("SELECT count(to_regclass('sync.b'))", database) == 0)
            #expect(try await count("SELECT count(*) FROM sync.migration", database) == 1)
            let repaired = try [line("sync", ["CREATE TABLE sync.a (x bigint)", "CREATE TABLE sync.b (x bigint)"])]
            #expect(
                try await Migrator(database.connectionString, lines: repaired).up().applied == ["sync/0002-do-it.sql"])
        }
    }

    @Test("S3_11, M27: a failed check at a migration's end rolls the migration back")
    func aCheckThatDoesNotHoldGatesTheCommit() async throws {
        try await withTestDatabase { database in
            let check = "DO $$ BEGIN IF EXISTS (SELECT FROM sync.a WHERE x < 0) THEN RAISE 'negative'; END IF; END $$;"
            let files = ["CREATE TABLE sync.a (x bigint); INSERT INTO sync.a VALUES (1), (2);"]
            let wrong = try [line("sync", files + ["UPDATE sync.a SET x = x - 2;\n\(check)"])]
            let error = try #require(
                await #expect(throws: MigrationError.self) {
                    try await Migrator(database.connectionString, lines: wrong).up()
                })
            #expect(error.description.contains("negative"), "\(error)")
            #expect(try await count("SELECT sum(x)::bigint FROM sync.a", database) == 3)
            let right = try [line("sync", files + ["UPDATE sync.a SET x = x - 1;\n\(check)"])]
            #expect(try await Migrator(database.connectionString, lines: right).up().applied == ["sync/0002-do-it.sql"])
        }
    }

    @Test func aChangedFileIsRefused() async throws {
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: [line("sync", ["SELECT 1"])]).up()
            let changed = try Migrator(database.connectionString, lines: [line("sync", ["SELECT 2", "SELECT 3"])])
            let error = try #require(await #expect(throws: MigrationError.self) { try await changed.up() })
            guard case .changed(path: "sync/0001-do-it.sql") = error else { Issue.record("\(error)"); return }
            #expect(try await changed.status().map(\.state) == [.changed, .pending])
        }
    }

    /// In every rolling deployment an older release meets a newer database.
    @Test func aDatabaseThatIsAheadIsLeftAlone() async throws {
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: [line("sync", ["SELECT 1", "SELECT 2"])]).up()
            let older = try Migrator(database.connectionString, lines: [line("sync", ["SELECT 1"])])
            #expect(try await older.up().applied == [])
            let states = try await older.status().map(\.state)
            #expect(states.first.map { if case .applied = $0 { true } else { false } } == true)
            #expect(states.dropFirst() == [.future])
        }
    }

    @Test("M14: a file that came in late is refused")
    func aFileThatCameInLateIsRefused() async throws {
        try await withTestDatabase { database in
            let lines = try [line("sync", ["SELECT 1", "SELECT 2", "SELECT 3"])]
            try await Migrator(database.connectionString, lines: lines).up()
            try await database.session().execute("DELETE FROM sync.migration WHERE number = 2")
            let migrator = Migrator(database.connectionString, lines: lines)
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            guard case .outOfOrder(path: "sync/0002-do-it.sql") = error else { Issue.record("\(error)"); return }
        }
    }

    @Test("M32: unqualified names are not found")
    func unqualifiedNamesAreNotFound() async throws {
        try await withTestDatabase { database in
            let migrator = try Migrator(database.connectionString, lines: [line("sync", ["CREATE TABLE a (x bigint)"])])
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            #expect(error.description.contains("no schema has been selected"))
        }
    }

    @Test(arguments: ["COMMIT;", "COMMIT; BEGIN;", "ROLLBACK;"])
    func aFileThatEndsItsTransactionIsReported(sql: String) async throws {
        try await withTestDatabase { database in
            let migrator = try Migrator(database.connectionString, lines: [line("sync", [sql])])
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            guard case .endsTransaction = error else { Issue.record("\(error)"); return }
            #expect(try await count("SELECT count(*) FROM sync.migration", database) == 0)
        }
    }

    @Test("M10: settings of one file do not reach the next")
    func settingsOfOneFileDoNotReachTheNext() async throws {
        try await withTestDatabase { database in
            let check = """
                DO $$ BEGIN
                  ASSERT current_setting('search_path') = '""' OR current_setting('search_path') = '';
                  ASSERT current_setting('work_mem') <> '64kB';
                END $$
                """
            let lines = try [line("sync", ["SET search_path = sync; SET work_mem = '64kB'", check])]
            #expect(try await Migrator(database.connectionString, lines: lines).up().applied.count == 2)
        }
    }

    @Test("M7, M35: eight runs at once apply each file once")
    func eightRunsAtOnceApplyEachFileOnce() async throws {
        try await withTestDatabase { database in
            let lines = try [
                line("sync", (1...5).map { "CREATE TABLE sync.t\($0) (x bigint); INSERT INTO sync.t\($0) VALUES (1)" }),
                line(
                    "app",
                    [
                        """
                        -- phase: expand
                        CREATE SCHEMA app; CREATE TABLE app.t (x bigint);
                        -- phase: expand
                        -- migrate: transaction=none
                        CREATE INDEX CONCURRENTLY IF NOT EXISTS t_x ON app.t (x);
                        """
                    ]),
            ]
            let applied = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<8 {
                    group.addTask { try await Migrator(database.connectionString, lines: lines).up().applied }
                }
                return try await group.reduce([], +)
            }
            #expect(applied.sorted() == lines.flatMap(\.files).map(\.path).sorted())
            #expect(try await count("SELECT count(*) FROM sync.migration", database) == 6)
        }
    }

    @Test("M10: a statement that takes too long is cut off")
    func aStatementThatTakesTooLongIsCutOff() async throws {
        try await withTestDatabase { database in
            let migrator = try Migrator(
                database.connectionString, lines: [line("sync", ["SELECT pg_catalog.pg_sleep(3600)"])],
                limits: MigratorLimits(statementMax: .milliseconds(50)))
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            guard case .failed(_, _, let cause) = error else { Issue.record("\(error)"); return }
            #expect("\(cause)".contains("too long"), "\(cause)")
        }
    }

    @Test func aRunGivesUpOnALockThatNobodyReleases() async throws {
        try await withTestDatabase { database in
            let holder = try await database.session()
            try await holder.execute(
                """
                SELECT pg_advisory_lock(hashtextextended('syncserver', oid::bigint))
                FROM pg_database WHERE datname = current_database()
                """)
            let holderID = Int(await holder.serverProcessID)
            let events = Recorder()
            let migrator = try Migrator(
                database.connectionString, lines: [line("sync", ["SELECT 1"])],
                limits: MigratorLimits(pauseMin: .milliseconds(1), runnerWaitMax: .milliseconds(20)))
            let error = try #require(
                await #expect(throws: MigrationError.self) { try await migrator.up(report: events.add) })
            guard case .busy(holders: [holderID]) = error else { Issue.record("\(error)"); return }
            #expect(events.all == [.waiting(holders: [holderID])])
        }
    }

    @Test("M9: a file gives way to a reader and tries again")
    func aFileGivesWayToAReaderAndTriesAgain() async throws {
        try await withTestDatabase { database in
            let lines = try line("sync", ["CREATE TABLE sync.a (x bigint)", "ALTER TABLE sync.a ADD y text"])
            let first = try MigrationLine(name: "sync", files: [lines.files[0]])
            try await Migrator(database.connectionString, lines: [first]).up()

            let reader = try await database.session()
            let readerID = Int(await reader.serverProcessID)
            let reading = Gate()
            let enough = Gate()
            async let read: Void = reader.transaction { session in
                try session.execute("SELECT x FROM sync.a")
                reading.open()
                enough.block()
            }
            await reading.wait()
            let events = Recorder { event in
                if case .retrying(_, attempt: 2, _) = event { enough.open() }
            }
            let migrator = Migrator(
                database.connectionString, lines: [lines],
                limits: MigratorLimits(lockTimeout: .milliseconds(200), pauseMin: .milliseconds(1)))
            try await migrator.up(report: events.add)
            try await read
            let attempts = events.all.count { if case .began = $0 { true } else { false } }
            #expect(attempts >= 3)
            let blockers = events.all.compactMap { event in
                if case .blocked(_, let blockers) = event { blockers.first } else { nil }
            }
            #expect(blockers.first?.processID == readerID)
            #expect(blockers.first?.state == "idle in transaction")
        }
    }

    @Test("M9: a file that never gets its locks names who holds them")
    func aFileThatNeverGetsItsLocksNamesWhoHoldsThem() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.a (x bigint)")
            let reading = Gate()
            let enough = Gate()
            async let read: Void = session.transaction { session in
                try session.execute("SELECT x FROM public.a")
                reading.open()
                enough.block()
            }
            await reading.wait()
            let migrator = try Migrator(
                database.connectionString, lines: [line("sync", ["ALTER TABLE public.a ADD y text"])],
                limits: MigratorLimits(
                    lockTimeout: .milliseconds(200), attemptsMax: 2, pauseMin: .milliseconds(1)))
            let error = await #expect(throws: MigrationError.self) { try await migrator.up() }
            enough.open()
            try await read
            guard case .blocked(_, attempts: 2, by: let blockers) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(blockers.count == 1)
        }
    }

    /// The wait is shorter than the watcher's first interval, as any wait may be on a busy machine.
    @Test("M9: a file that gave way before the first check names the holders of its locks")
    func aFileThatGaveWayUnseenNamesWhoHoldsItsLocks() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.a (x bigint)")
            let holder = Int(await session.serverProcessID)
            let (reading, enough) = (Gate(), Gate())
            async let read: Void = session.transaction { session in
                try session.execute("SELECT x FROM public.a")
                reading.open()
                enough.block()
            }
            await reading.wait()
            let migrator = try Migrator(
                database.connectionString, lines: [line("sync", ["ALTER TABLE public.a ADD y text"])],
                limits: MigratorLimits(lockTimeout: .milliseconds(1), attemptsMax: 1, pauseMin: .milliseconds(1)))
            let error = await #expect(throws: MigrationError.self) { try await migrator.up() }
            enough.open()
            try await read
            guard case .blocked(_, attempts: 1, by: let blockers) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(blockers.map(\.processID) == [holder])
        }
    }

    private func line(_ name: String, _ scripts: [String]) throws -> MigrationLine {
        let files = try scripts.enumerated().map { index, sql in
            try MigrationFile(line: name, fileName: "000\(index + 1)-do-it.sql", bytes: Array(sql.utf8))
        }
        return try MigrationLine(name: name, files: files)
    }

    private func count(_ query: Command, _ database: TestDatabase) async throws -> Int64 {
        try await database.session().execute(query).int(0, 0)
    }
}

/// Keeps the events of a run, and passes each to `watch`.
private final class Recorder: Sendable {
    private let events = Mutex<[MigrationEvent]>([])
    private let watch: @Sendable (MigrationEvent) -> Void

    init(watch: @escaping @Sendable (MigrationEvent) -> Void = { _ in }) {
        self.watch = watch
    }

    func add(_ event: MigrationEvent) {
        events.withLock { $0.append(event) }
        watch(event)
    }

    var all: [MigrationEvent] { events.withLock { $0 } }
}
