import Foundation
import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// `kill -9` of `syncserver migrate up` between any two statements: the next run ends as if the first had not happened.
@Suite struct CrashTests {
    private static let notes = """
        CREATE SCHEMA fitiq;
        GRANT USAGE ON SCHEMA fitiq TO syncserver_serving;
        CREATE TABLE fitiq.sd_meal (LIKE sync.record INCLUDING ALL, words text, length bigint);
        SELECT sync.enroll('fitiq.sd_meal');
        """
    private static let steps = """
        -- phase: expand
        ALTER TABLE fitiq.sd_meal ADD COLUMN shape text;
        CREATE TABLE fitiq.shape (name text PRIMARY KEY);
        -- phase: expand
        -- migrate: transaction=none
        CREATE INDEX CONCURRENTLY IF NOT EXISTS by_length ON fitiq.sd_meal (space_id, length);
        CREATE INDEX CONCURRENTLY IF NOT EXISTS by_shape ON fitiq.sd_meal (space_id, shape);
        -- phase: backfill
        -- migrate: table=fitiq.sd_meal batch=20
        -- sync: republish(SDMeal)
        UPDATE fitiq.sd_meal AS n SET length = coalesce(n.length, 0) + length(n.words), shape = 'round' FROM batch
        WHERE (n.space_id, n.id) = (batch.space_id, batch.id) AND n.shape IS NULL;
        -- phase: verify
        SELECT id FROM fitiq.sd_meal WHERE shape IS NULL;
        SELECT id FROM fitiq.sd_meal WHERE length <> length(words);
        -- phase: contract
        ALTER TABLE fitiq.sd_meal ALTER COLUMN shape SET NOT NULL;
        DROP TABLE fitiq.shape;
        """

    @Test("M18, M34: a run that is killed anywhere is finished by the next")
    func aRunThatIsKilledAnywhereIsFinishedByTheNext() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "crashes-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let lines = try Self.write(to: folder)
        let begun = try lines.map { line in
            line.name == "fitiq" ? try MigrationLine(name: line.name, files: [line.files[0]]) : line
        }
        let wanted: Set = ["failed-clean", "failed-partial", "expand-pending", "backfill-pending", "contract-pending"]
        var expected: String?
        var states: Set<String> = []
        var (boundary, step) = (0, 1)
        while true {
            let isCrashed = try await withTestDatabase(migrated: begun) { database in
                let session = try await Session.open(database.superuserConnectionString)
                try await session.fill()
                let isCrashed = try await Self.run(database, folder.path, crashingAt: boundary)
                let migrator = Migrator(database.connectionString, lines: lines)
                if boundary > 0 {
                    states.formUnion(try await migrator.status().map(\.state.name))
                    try await migrator.up(contracts: .run)
                }
                #expect(try await migrator.status().allSatisfy(\.isApplied), "killed at \(boundary)")
                let result = try await session.outcome()
                if expected == nil { expected = result }
                #expect(result == expected, "killed at \(boundary)")
                await session.close()
                return isCrashed
            }
            // A run that is not killed has passed its last crash point. Their number depends on the load of the
            // machine, which determines the size of batches; points that a run with fewer batches skipped are found on
            // the way back.
            #expect(boundary > 0 || !isCrashed)
            if boundary > 0, !isCrashed { step = -1 }
            if step < 0, states.isSuperset(of: wanted) || boundary == 1 { break }
            boundary += step
            #expect(boundary < 200, "it does not end")
        }
        #expect(states.isSuperset(of: wanted), "\(states)")
    }

    /// - Returns: true if the run was killed. It may not fail in another way.
    private static func run(
        _ database: TestDatabase, _ folder: String, crashingAt boundary: Int
    ) async throws -> Bool {
        let run = try await CommandRun(
            ["migrate", "up", "--contract", "--share", "100", "--migrations", folder],
            database: database.connectionString, environment: ["SYNCSERVER_CRASH_AT": "\(boundary)"])
        #expect(run.wasKilled || run.status == 0, "\(run.errors)")
        return run.wasKilled
    }

    /// Writes the server's own line, the tested line as FitIQ's, and empty lines of the other apps.
    private static func write(to folder: URL) throws -> [MigrationLine] {
        let manager = FileManager.default
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        try manager.copyItem(
            at: URL(filePath: Repository.migrationsDirectory).appending(path: "sync"),
            to: folder.appending(path: "sync"))
        for (name, files) in [
            "fitiq": ["0001-create-notes.sql": notes, "0002-shape-notes.sql": steps],
            "keeptrack": ["0001-do-nothing.sql": "SELECT 1"], "easitopen": ["0001-do-nothing.sql": "SELECT 1"],
            "allesteurer": ["0001-do-nothing.sql": "SELECT 1"],
        ] {
            let line = folder.appending(path: name)
            try manager.createDirectory(at: line, withIntermediateDirectories: true)
            for (file, text) in files {
                try Data(text.utf8).write(to: line.appending(path: file))
            }
        }
        return try MigrationLine.readAll(directory: folder.path)
    }
}

extension Session {
    fileprivate func fill() throws {
        try execute(
            """
            INSERT INTO sync.space (app, space_id, head)
            SELECT 'fitiq', ('00000000-0000-4000-8000-00000000000' || s)::uuid, 25 FROM generate_series(1, 2) AS s
            """)
        try execute(
            """
            INSERT INTO fitiq.sd_meal (space_id, id, seq, alive, stamp, born, died, words)
            SELECT ('00000000-0000-4000-8000-00000000000' || s)::uuid, md5(s || ' ' || n)::uuid, n, n % 11 <> 0,
                n, n, 0, repeat('x', n)
            FROM generate_series(1, 2) AS s, generate_series(1, 25) AS n
            """)
    }

    /// Returns rows, numbers and the catalog: equal if everything was done exactly once.
    fileprivate func outcome() throws -> String {
        try execute(
            """
            SELECT (SELECT string_agg(seq || ' ' || length || ' ' || shape, ',' ORDER BY space_id, id)
                FROM fitiq.sd_meal)
                || (SELECT string_agg(head::text, ',' ORDER BY space_id) FROM sync.space)
                || (SELECT string_agg(c.relname || i.indisvalid, ',' ORDER BY c.relname)
                    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
                    WHERE i.indrelid = 'fitiq.sd_meal'::regclass)
                || (SELECT string_agg(attname || attnotnull, ',' ORDER BY attnum) FROM pg_attribute
                    WHERE attrelid = 'fitiq.sd_meal'::regclass AND attnum > 0)
                || (to_regclass('fitiq.shape') IS NULL)
            """
        ).string(0, 0)
    }
}
