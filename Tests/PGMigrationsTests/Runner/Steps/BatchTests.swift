import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Synchronization
import Testing
import WireFormats

/// Backfills in batches: each row is changed once, beside traffic, and devices receive the changes.
@Suite struct BatchTests {
    private static let table = """
        CREATE SCHEMA app;
        GRANT USAGE ON SCHEMA app TO syncserver_serving;
        CREATE TABLE app.note (LIKE sync.record INCLUDING ALL, words text, length bigint);
        SELECT sync.enroll('app.note');
        """
    private static func fill(_ effect: String, size: Int = 100) -> String {
        """
        -- phase: expand
        CREATE INDEX note_by_length ON app.note (space_id, length);
        -- phase: backfill
        -- migrate: table=app.note batch=\(size)
        -- sync: \(effect)
        UPDATE app.note AS n SET length = length(n.words) FROM batch
        WHERE (n.space_id, n.id) = (batch.space_id, batch.id) AND n.length IS NULL AND n.words <> 'same';
        """
    }

    @Test("M18, M19: a silent backfill reaches every row and no device", arguments: [1, 7, 100, 1000, 5000])
    func aSilentBackfillReachesEveryRowAndNoDevice(size: Int) async throws {
        try await withNotes { database, session in
            let before = try await numbers(session)
            let progress = Progress()
            try await migrator(database, Self.fill("silent", size: size)).up(report: progress.take)
            let left = try await session.execute(
                "SELECT count(*) FROM app.note WHERE length IS DISTINCT FROM length(words) AND words <> 'same'")
            #expect(left.int(0, 0) == 0)
            #expect(try await numbers(session) == before)
            #expect(progress.last == 1000)
        }
    }

    @Test("M19: republished records get the next numbers of their space")
    func whatIsRepublishedGetsTheNextNumbersOfItsSpace() async throws {
        try await withNotes { database, session in
            try await migrator(database, Self.fill("republish(Note)")).up()
            let rows = try await session.execute(
                """
                SELECT s.space_id, s.head, count(n.*), min(n.seq), max(n.seq), count(n.device),
                    count(DISTINCT n.seq)
                FROM sync.space AS s JOIN app.note AS n USING (space_id) WHERE n.alive AND n.words <> 'same'
                GROUP BY s.space_id, s.head ORDER BY s.space_id
                """)
            #expect(rows.count == 4)
            for row in 0..<rows.count {
                let (head, count) = (rows.int(row, 1), rows.int(row, 2))
                #expect(head == 250 + count && rows.int(row, 3) == 251 && rows.int(row, 4) == head)
                #expect(rows.int(row, 5) == 0 && rows.int(row, 6) == count)
            }
            // In the order of keys, independent of the batches.
            let disorder = try await session.execute(
                """
                SELECT count(*) FROM (
                    SELECT seq < lag(seq) OVER (PARTITION BY space_id ORDER BY id) AS is_wrong FROM app.note
                    WHERE alive AND words <> 'same') AS numbers
                WHERE is_wrong
                """)
            #expect(disorder.int(0, 0) == 0)
            let others = try await session.execute(
                "SELECT count(*) FROM app.note WHERE (NOT alive OR words = 'same') AND seq > 250")
            #expect(others.int(0, 0) == 0)
        }
    }

    @Test func aCancelledBackfillEndsAfterItsBatchAndTheNextRunGoesOn() async throws {
        try await withNotes { database, session in
            let migrator = try migrator(database, Self.fill("silent"))
            let run = Task {
                try await migrator.up(report: { event in
                    if case .progress = event { withUnsafeCurrentTask { $0?.cancel() } }
                })
            }
            let error = await #expect(throws: MigrationError.self) { try await run.value }
            guard case .cancelled = error else { Issue.record("\(String(describing: error))"); return }
            let status = try #require(await migrator.status().last)
            #expect(status.state == .failedPartial(.backfill))
            #expect(status.records.last?.rowsDone == 100)
            let progress = Progress()
            #expect(try await migrator.up(report: progress.take).applied == ["app/0002-do-it.sql"])
            #expect(progress.last == 1000)
        }
    }

    @Test(arguments: [
        ("UPDATE app.note SET length = 1", "joins the rows of each batch"),
        ("DELETE FROM app.note", "one UPDATE"),
        ("UPDATE app.other AS n SET x = 1 FROM batch", "‘table’ says app.note"),
        ("UPDATE app.note AS n SET length = 1 FROM batch RETURNING 1", "neither WITH nor RETURNING"),
        ("SELECT 1; SELECT 2", "one UPDATE"),
        (
            "UPDATE app.note AS n SET length = 1 FROM batch "
                + "WHERE n.space_id = batch.space_id AND n.id = batch.id OR true",
            "below OR or NOT it lets other rows in"
        ),
        (
            "UPDATE app.note AS n SET length = 1 FROM batch WHERE NOT (n.space_id, n.id) = (batch.space_id, batch.id)",
            "below OR or NOT it lets other rows in"
        ),
    ])
    func whatIsNoBatchIsRefusedBeforeItRuns(sql: String, words: String) async throws {
        try await withNotes { database, _ in
            let migrator = try migrator(database, "-- migrate: table=app.note\n-- sync: silent\n\(sql)")
            let error = try #require(await #expect(throws: MigrationError.self) { try await migrator.up() })
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    private func withNotes(
        _ body: (TestDatabase, Session) async throws -> Void
    ) async throws {
        let lines = try Repository.migrations().filter { $0.name == MigrationLine.serverLineName }
        try await withTestDatabase(migrated: lines + [line([Self.table])]) { database in
            let session = try await Session.open(database.superuserConnectionString)
            // Four spaces of 250 rows each, some of them dead, some without need of the change.
            try await session.runNotes()
            try await body(database, session)
            await session.close()
        }
    }

    private func migrator(_ database: TestDatabase, _ text: String) throws -> Migrator {
        let lines = try Repository.migrations().filter { $0.name == MigrationLine.serverLineName }
        return Migrator(
            database.connectionString, lines: lines + [try line([Self.table, text])],
            limits: MigratorLimits(backfillShare: 1))
    }

    private func line(_ scripts: [String]) throws -> MigrationLine {
        let files = try scripts.enumerated().map { index, sql in
            try MigrationFile(line: "app", fileName: "000\(index + 1)-do-it.sql", bytes: Array(sql.utf8))
        }
        return try MigrationLine(name: "app", files: files)
    }

    private func numbers(_ session: Session) async throws -> String {
        try await session.execute(
            """
            SELECT (SELECT string_agg(seq || ' ' || coalesce(device::text, ''), ',' ORDER BY space_id, id)
                FROM app.note)
                || (SELECT string_agg(head::text, ',' ORDER BY space_id) FROM sync.space)
            """
        ).string(0, 0)
    }
}

/// The last number of rows that a backfill has reported.
private final class Progress: Sendable {
    private let rows = Mutex<Int64>(0)

    var last: Int64 { rows.withLock { $0 } }

    func take(_ event: MigrationEvent) {
        if case .progress(_, let done, _) = event { rows.withLock { $0 = done } }
    }
}

extension Session {
    fileprivate func runNotes() throws {
        try execute(
            """
            INSERT INTO sync.space (app, space_id, head)
            SELECT 'app', ('00000000-0000-4000-8000-00000000000' || s)::uuid, 250 FROM generate_series(1, 4) AS s
            """)
        try execute(
            """
            INSERT INTO app.note (space_id, id, seq, alive, stamp, born, died, device, seen, since, words)
            SELECT ('00000000-0000-4000-8000-00000000000' || s)::uuid, gen_random_uuid(), n, n % 11 <> 0, n, n, 0,
                gen_random_uuid(), 0, n, CASE WHEN n % 5 = 0 THEN 'same' ELSE repeat('x', n % 17) END
            FROM generate_series(1, 4) AS s, generate_series(1, 250) AS n
            """)
    }
}
