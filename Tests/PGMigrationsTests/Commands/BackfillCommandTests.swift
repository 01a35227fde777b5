import Glibc
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// `syncserver migrate up --no-backfill` and `migrate backfill`, and their end by a signal.
@Suite struct BackfillCommandTests {
    private static let steps = """
        -- phase: expand
        ALTER TABLE fitiq.sd_meal ADD COLUMN shade bigint;
        -- phase: backfill
        -- migrate: table=fitiq.sd_meal batch=10
        -- sync: silent
        UPDATE fitiq.sd_meal AS meal SET shade = coalesce(meal.shade, 0) + 1 FROM batch
        WHERE (meal.space_id, meal.id) = (batch.space_id, batch.id);
        -- phase: verify
        SELECT id FROM fitiq.sd_meal WHERE shade IS DISTINCT FROM 1;
        """
    private static let path = "fitiq/0013-shade-meals.sql"

    @Test("M18: backfills are left to a run of their own") func backfillsAreLeftToARunOfTheirOwn() async throws {
        try await withMeals { database, folder, session in
            let string = database.connectionString
            let early = try await folder.migrate("backfill", database: string)
            #expect(early.status == 3 && early.fitsScreen, "\(early.output)\(early.errors)")
            let said = early.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(said.contains("First ‘syncserver migrate up’ is to run \(Self.path) (expand)"))

            let quick = try await folder.migrate("up", "--no-backfill", database: string)
            #expect(quick.status == 0, "\(quick.errors)")
            #expect(
                quick.output
                    == "Applied 1 migrations.\nLeft: \(Self.path) (backfill). Run ‘syncserver migrate backfill’.\n")
            let status = try await folder.migrate("status", database: string)
            #expect(status.status == 1 && status.output.contains("backfill-pending  \(Self.path)"))
            #expect(status.output.contains("‘syncserver migrate backfill’, or ‘up’, goes on."))

            let long = try await folder.migrate("backfill", "--json", "--share", "100", database: string)
            #expect(long.status == 0, "\(long.errors)")
            let json = try JSONValue(parsing: Array(long.output.utf8))
            #expect(json["applied"].elements == [.string(Self.path)] && json["held"].elements.isEmpty)
            #expect(try await session.shades() == [60, 60])

            let again = try await folder.migrate("backfill", database: string)
            #expect(again.status == 0 && again.output == "No backfill is pending.\n")
        }
    }

    @Test(
        "M18: a signal ends a run after its batch, and the next goes on",
        arguments: [("up", SIGINT), ("up", SIGTERM), ("backfill", SIGINT), ("backfill", SIGTERM)])
    func aSignalEndsItAfterItsBatchAndTheNextRunGoesOn(action: String, number: Int32) async throws {
        try await withMeals { database, folder, session in
            let string = database.connectionString
            _ = try await folder.migrate("up", "--no-backfill", database: string)
            // The second of three spaces is locked, so the run waits in the middle of a batch. After each batch it
            // rests for nine times as long: with more batches a slow machine would not reach the second space.
            try await session.execute("BEGIN")
            try await session.lockSecondSpace()
            let run = try await folder.migrate(action, "--share", "10", database: string) { process in
                try await database.waitsForLock()
                kill(process, number)
                try await session.execute("COMMIT")
            }
            #expect(run.status == 1 && !run.wasKilled, "\(run.errors)")
            #expect(run.errors.contains("Stopping when the batch or statement at work is done"), "\(run.errors)")
            #expect(run.errors.contains("Stopped before the end; run again to go on."), "\(run.errors)")
            let (done, changed) = (try await session.rowsDone(), try await session.shades())
            #expect(done >= 20 && done < 60 && done % 10 == 0)
            #expect(changed == [done, done])

            let status = try await folder.migrate("status", database: string)
            #expect(status.status == 1 && status.output.contains("failed-partial    \(Self.path)"))
            #expect(status.output.contains("backfill: \(done) of about 60 rows"), "\(status.output)")
            #expect(status.output.contains("‘syncserver migrate backfill’, or ‘up’, goes on where it stopped."))
            let rest = try await folder.migrate(action, "--share", "100", database: string)
            #expect(rest.status == 0, "\(rest.errors)")
            #expect(try await session.shades() == [60, 60])
        }
    }

    @Test func aServerThatIsToldToStopWhileItMigratesDoesNotServe() async throws {
        try await withMeals { database, folder, session in
            try await session.execute("BEGIN")
            try await session.lockSecondSpace()
            let run = try await CommandRun(
                ["serve", "--port", "0", "--migrate", "auto", "--allow-unfrozen"], database: database.connectionString,
                environment: ["SYNC_MIGRATIONS": folder.path]
            ) { process in
                try await database.waitsForLock()
                kill(process, SIGTERM)
            }
            #expect(run.status == 1 && !run.wasKilled, "\(run.errors)")
            #expect(run.errors.contains("Stopped before the end; run again to go on."), "\(run.errors)")
            #expect(!run.errors.contains("Listening"), "\(run.errors)")
            try await session.execute("COMMIT")
            #expect(try await session.rowsDone() == 20)
        }
    }

    @Test func aSecondSignalEndsItAtOnce() async throws {
        try await withMeals { database, folder, session in
            let string = database.connectionString
            _ = try await folder.migrate("up", "--no-backfill", database: string)
            try await session.execute("BEGIN")
            try await session.lockSecondSpace()
            let run = try await folder.migrate("backfill", "--share", "100", database: string) { process in
                try await database.waitsForLock()
                // The lock is not released, so the run can end only at once, or at its retry.
                try await eventually("it ends") {
                    kill(process, SIGINT)
                    return kill(process, 0) != 0
                }
            }
            #expect(run.status == 1 && !run.errors.contains("Stopped before the end"), "\(run.errors)")
            try await session.execute("COMMIT")
            #expect(try await session.rowsDone() == 20)
            let rest = try await folder.migrate("backfill", "--share", "100", database: string)
            #expect(rest.status == 0, "\(rest.errors)")
            #expect(try await session.shades() == [60, 60])
        }
    }

    /// Lends a database of three spaces with twenty meals each, and a pending file that changes each meal once.
    private func withMeals(_ body: (TestDatabase, MigrationFolder, Session) async throws -> Void) async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try folder.write(Self.steps, to: Self.path)
                let session = try await Session.open(database.superuserConnectionString)
                try await session.fillMeals()
                try await body(database, folder, session)
                await session.close()
            }
        }
    }
}

extension TestDatabase {
    /// Waits until some session waits for a lock.
    fileprivate func waitsForLock() async throws {
        let session = try await Session.open(superuserConnectionString)
        try await eventually("a run waits for a lock") {
            try await session.execute(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """
            ).int(0, 0) > 0
        }
        await session.close()
    }
}

extension Session {
    fileprivate func fillMeals() throws {
        try execute(
            """
            INSERT INTO sync.space (app, space_id, head)
            SELECT 'fitiq', ('00000000-0000-4000-8000-00000000000' || s)::uuid, 20 FROM generate_series(1, 3) AS s
            """)
        try execute(
            """
            INSERT INTO fitiq.sd_meal (space_id, id, seq, alive, stamp, born, died, raw_input, meal_type, status,
                logged_at, created_at, sync_status)
            SELECT ('00000000-0000-4000-8000-00000000000' || s)::uuid, md5(s || ' ' || n)::uuid, n, true, n, n, 0, '',
                '', '', now(), now(), ''
            FROM generate_series(1, 3) AS s, generate_series(1, 20) AS n
            """)
    }

    fileprivate func lockSecondSpace() throws {
        try execute(
            """
            SELECT head FROM sync.space
            WHERE app = 'fitiq' AND space_id = '00000000-0000-4000-8000-000000000002' FOR UPDATE
            """)
    }

    /// Returns the number of changed rows, and the total number of changes.
    fileprivate func shades() throws -> [Int64] {
        let rows = try execute("SELECT count(shade), coalesce(sum(shade), 0)::bigint FROM fitiq.sd_meal")
        return [rows.int(0, 0), rows.int(0, 1)]
    }

    fileprivate func rowsDone() throws -> Int64 {
        try execute("SELECT rows_done FROM sync.migration_step WHERE number = 13 AND phase = 'backfill'").int(0, 0)
    }
}
