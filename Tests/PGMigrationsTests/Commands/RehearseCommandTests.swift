import Foundation
import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver migrate rehearse`: a run in a copy, which leaves only its report.
@Suite(.serialized) struct RehearseCommandTests {
    private static let steps = """
        -- phase: expand
        ALTER TABLE fitiq.sd_meal ADD COLUMN shade text;
        -- phase: expand
        -- migrate: transaction=none
        CREATE INDEX CONCURRENTLY IF NOT EXISTS by_shade ON fitiq.sd_meal (space_id, shade);
        -- phase: backfill
        -- migrate: table=fitiq.sd_meal batch=3
        -- sync: republish(SDMeal)
        UPDATE fitiq.sd_meal AS meal SET shade = 'none' FROM batch
        WHERE (meal.space_id, meal.id) = (batch.space_id, batch.id) AND meal.shade IS NULL;
        -- phase: verify
        SELECT id FROM fitiq.sd_meal WHERE shade IS NULL;
        -- phase: contract
        -- requires: census(<0.1.1)=0 for 30d
        ALTER TABLE fitiq.sd_meal ALTER COLUMN shade SET NOT NULL;
        """
    private static let path = "fitiq/0013-shade-meals.sql"

    @Test("M12: a rehearsal times every step in a copy, and nothing is left of it")
    func everyStepIsTimedInACopyAndNothingIsLeftOfIt() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try await database.fillMeals(7, spaces: 2)
                // A server with sessions of its own runs meanwhile.
                let server = try await ServerRegistration.announce(
                    database.connectionString, folder.lines().filter { $0.name == "fitiq" })
                try folder.write(Self.steps, to: Self.path)
                let before = try await database.state()
                let held = try await rehearse(folder, database, "--json", "--to", "fitiq/13")
                await server.end()
                let json = try JSONValue(parsing: Array(held.output.utf8))
                #expect(held.status == 0 && json["wouldGoThrough"] == true, "\(held.output)\(held.errors)")
                let steps = json["steps"].elements
                #expect(steps.map { $0["phase"] } == ["expand", "expand", "backfill", "verify"], "\(held.output)")
                #expect(steps.map { $0["step"] } == [1, 2, 3, 4])
                #expect(steps[0]["wait"]["table"] == "fitiq.sd_meal")
                #expect(steps[0]["wait"]["mode"] == "ACCESS EXCLUSIVE")
                // The index is built concurrently.
                #expect(steps[1]["wait"] == .null)
                #expect(steps[2]["rows"] == 14 && steps[2]["wait"]["mode"] == .null)
                #expect(steps.allSatisfy { ($0["milliseconds"].int ?? -1) >= 0 })
                #expect(json["held"].elements.count == 1)
                #expect(try await database.state() == before)
            }
        }
    }

    @Test func aContractIsRehearsedWhateverItWaitsFor() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try await database.fillMeals(2, spaces: 1)
                try folder.write(Self.steps, to: Self.path)
                let before = try await database.state()
                let run = try await rehearse(folder, database, "--contract")
                #expect(run.fitsScreen, "\(run.output)")
                #expect(run.output.contains("    contract "), "\(run.output)\(run.errors)")
                #expect(
                    run.output.contains("ms for fitiq.sd_meal\n") && run.output.contains("2 rows  pushes to the"),
                    "\(run.output)")
                // No plan has the column.
                #expect(run.status == 1 && run.output.contains("It would not go through"), "\(run.output)")
                #expect(run.output.contains("fitiq.sd_meal.shade"), "\(run.output)")
                #expect(try await database.state() == before)
            }
        }
    }

    @Test func whatIsPublishedGoesThroughAndKeepsTheLaws() async throws {
        try await MigrationFolder.with { folder in
            let lines = try folder.lines()
            let before = try lines.cut("fitiq", after: 6)
            try await withTestDatabase(migrated: before) { database in
                try await database.fillMeals(3, spaces: 1)
                let run = try await rehearse(folder, database, "--contract")
                #expect(run.status == 0 && run.fitsScreen, "\(run.output)\(run.errors)")
                #expect(run.output.contains("fitiq/0007-split-quantity-text.sql\n"), "\(run.output)")
                #expect(run.output.contains("a server would start, and "), "\(run.output)")
                let again = try await rehearse(folder, database, "--to", "fitiq/6")
                #expect(again.status == 0 && again.output.hasPrefix("Nothing is pending"), "\(again.output)")
            }
        }
    }

    @Test(arguments: [
        ("ALTER TABLE fitiq.sd_meal ADD COLUMN notes text;", "already exists"),
        ("-- phase: verify\nSELECT id FROM fitiq.sd_meal;", "must return no row"),
        ("-- sync: silent\nDELETE FROM fitiq.sd_mael;", "does not exist"),
    ])
    func whatFailsInTheCopyIsSaid(sql: String, reason: String) async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try await database.fillMeals(1, spaces: 1)
                try folder.write(sql, to: Self.path)
                let before = try await database.state()
                let run = try await rehearse(folder, database)
                #expect(run.status == 1 && run.fitsScreen, "\(run.errors)")
                #expect(run.output.contains("It would not go through"), "\(run.output)")
                #expect(run.output.contains(reason) && run.output.contains("failed"), "\(run.output)")
                #expect(try await database.state() == before)
            }
        }
    }

    /// A process that ignores SIGCHLD is never told how its children end; `pg_dump` and `pg_restore` are two.
    @Test func aParentThatIgnoresItsChildrenMakesNoDifference() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try folder.write(Self.steps, to: Self.path)
                let run = try await CommandRun(
                    [
                        "-c", "trap '' CHLD; exec \"$0\" \"$@\"", ServerProcess.executable(), "migrate", "rehearse",
                        "--to", "fitiq/13",
                    ], database: database.connectionString, environment: ["SYNC_MIGRATIONS": folder.path],
                    executable: "/bin/sh")
                #expect(run.status == 0, "\(run.output)\(run.errors)")
            }
        }
    }

    @Test func aLongLockIsPointedOut() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try folder.write(
                    "ALTER TABLE fitiq.sd_meal ADD COLUMN shade text; SELECT pg_catalog.pg_sleep(0.15);", to: Self.path)
                let run = try await rehearse(folder, database, "--to", "fitiq/13")
                #expect(run.status == 0 && run.fitsScreen, "\(run.errors)")
                #expect(run.output.contains("warning: \(Self.path): pulls and pushes wait "), "\(run.output)")
            }
        }
    }

    @Test func aLoginThatMayNotCreateDatabasesIsToldWhatToGrant() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try folder.write("CREATE SCHEMA other;", to: Self.path)
                try await database.withLogin { login in
                    let run = try await folder.migrate("rehearse", database: login)
                    #expect(run.status == 1, "\(run.output)")
                    #expect(run.errors.contains("ALTER ROLE \(login.user ?? "") CREATEDB"), "\(run.errors)")
                }
            }
        }
    }

    @Test func whereThereIsNoRoomNothingIsCopied() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try folder.write("SELECT 1;", to: Self.path)
                let migrator = Migrator(database.connectionString, lines: try folder.lines())
                await #expect {
                    _ = try await migrator.rehearse(schemas: ["sync", "fitiq"], bytesFree: 1000)
                } throws: {
                    "\($0)".contains("0 MB are free")
                }
                let rehearsal = try await migrator.rehearse(schemas: ["sync", "fitiq"], bytesFree: 1 << 40)
                #expect(rehearsal.failure == nil && rehearsal.steps.count == 1 && rehearsal.bytes > 0)
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalDropsTheCopy(signal: Int32) async throws {
        try await withSleepingRehearsal { database, process in
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 1)
            let left = try await database.copies()
            #expect(left == [])
        }
    }

    @Test func aCopyThatAKilledRehearsalLeftIsFoundAndDropped() async throws {
        try await MigrationFolder.with { folder in
            try await withSleepingRehearsal(in: folder) { database, process in
                // A database that is in use is not removed.
                let session = try await database.session()
                #expect(try await ScratchDatabase.leftovers(session) == [])
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                let copy = try await database.copies()
                #expect(copy.count == 1)
                try await eventually("its lock is gone") { try await ScratchDatabase.leftovers(session) == copy }
                await session.close()
                let doctor = try await folder.migrate("doctor", "--json", database: database.connectionString)
                let findings = try JSONValue(parsing: Array(doctor.output.utf8))["findings"].elements
                #expect(
                    findings.contains {
                        $0["check"] == "leftover" && $0["object"] == .string("database \(copy[0])")
                            && $0["severity"] == "warning"
                    }, "\(doctor.output)")
                try folder.write("SELECT 1;", to: Self.path)
                let next = try await rehearse(folder, database, "--to", "fitiq/13")
                #expect(next.status == 0 && next.errors.contains("Dropped \(copy[0])"), "\(next.errors)")
                #expect(try await database.copies() == [])
            }
        }
    }

    // MARK: Runs

    private func rehearse(
        _ folder: MigrationFolder, _ database: TestDatabase, _ words: String...
    ) async throws -> CommandRun {
        let run = try await CommandRun(
            ["migrate", "rehearse"] + words, database: database.connectionString,
            environment: ["SYNC_MIGRATIONS": folder.path])
        #expect(try await database.copies() == [])
        return run
    }

    /// Lends a rehearsal that is in the middle of a long step.
    private func withSleepingRehearsal(
        in folder: MigrationFolder? = nil, _ body: (TestDatabase, Process) async throws -> Void
    ) async throws {
        guard let folder else {
            return try await MigrationFolder.with { try await withSleepingRehearsal(in: $0, body) }
        }
        try await withTestDatabase(migrated: folder.lines()) { database in
            try folder.write("SELECT pg_catalog.pg_sleep(600);", to: Self.path)
            let process = Process()
            process.executableURL = URL(filePath: try ServerProcess.executable())
            process.arguments = ["migrate", "rehearse"]
            process.environment = CommandRun.surroundings.merging([
                "SYNC_MIGRATIONS": folder.path, "DATABASE_URL": database.connectionString.textRevealingSecrets,
            ]) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let session = try await Session.open(database.superuserConnectionString)
            try await eventually("the copy is at the step") {
                guard let copy = try await database.copies().first else { return false }
                let busy = try await session.execute(
                    Command(
                        "SELECT FROM pg_stat_activity WHERE datname = $1 AND query LIKE '%pg_sleep(600)%'",
                        [.text(copy)]))
                return busy.count > 0
            }
            await session.close()
            do {
                try await body(database, process)
            } catch {
                process.terminate()
                throw error
            }
        }
    }
}

extension TestDatabase {
    /// Inserts meals into each of several spaces.
    func fillMeals(_ count: Int, spaces: Int) async throws {
        let session = try await Session.open(superuserConnectionString)
        for sql in [
            """
            INSERT INTO sync.space (app, space_id, head)
            SELECT 'fitiq', ('00000000-0000-4000-8000-00000000000' || s)::uuid, \(count)
            FROM generate_series(1, \(spaces)) AS s
            """,
            """
            INSERT INTO fitiq.sd_meal (space_id, id, seq, alive, stamp, born, died, raw_input, meal_type, status,
                logged_at, created_at, sync_status)
            SELECT ('00000000-0000-4000-8000-00000000000' || s)::uuid, md5(s || ' ' || n)::uuid, n, true, n, n, 0, '',
                '', '', now(), now(), ''
            FROM generate_series(1, \(spaces)) AS s, generate_series(1, \(count)) AS n
            """,
        ] {
            try await session.execute(Command(Statement(unchecked: sql)))
        }
        await session.close()
    }

    /// Returns the names of its scratch databases and copies.
    func copies() async throws -> [String] {
        let session = try await Session.open(superuserConnectionString)
        let rows = try await session.execute(
            Command(
                """
                SELECT datname FROM pg_database
                WHERE datname ~ concat('^syncserver_[a-z]+_',
                    (SELECT oid FROM pg_database WHERE datname = current_database()), '_')
                """))
        await session.close()
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// Lends a login that has the owner's privileges and may not create databases.
    func withLogin(_ body: (ConnectionString) async throws -> Void) async throws {
        let role = "poor_\(name)"
        let session = try await Session.open(superuserConnectionString)
        func run(_ sql: String) async throws { try await session.execute(Command(Statement(unchecked: sql))) }
        try await run("CREATE ROLE \(role) LOGIN CREATEROLE NOCREATEDB IN ROLE syncserver_owner")
        do {
            try await body(connectionString.with(user: role))
            try await run("DROP OWNED BY \(role)")
            try await run("DROP ROLE \(role)")
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }

    /// Returns the ledger, the columns and the rows.
    fileprivate func state() async throws -> String {
        let session = try await Session.open(superuserConnectionString)
        let rows = try await session.execute(
            Command(
                """
                SELECT concat_ws(';',
                    (SELECT string_agg(m::text, ';' ORDER BY line, number) FROM sync.migration AS m),
                    (SELECT string_agg(m::text, ';' ORDER BY line, number, step) FROM sync.migration_step AS m),
                    (SELECT epoch FROM sync.server),
                    (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute
                        WHERE attrelid = 'fitiq.sd_meal'::regclass),
                    (SELECT string_agg(m::text, ';' ORDER BY space_id, id) FROM fitiq.sd_meal AS m))
                """))
        await session.close()
        return rows.string(0, 0)
    }
}
