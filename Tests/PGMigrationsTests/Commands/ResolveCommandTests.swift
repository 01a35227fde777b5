import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// `syncserver migrate resolve`: an operator's decision about a step that no run can finish.
@Suite struct ResolveCommandTests {
    private static let path = "fitiq/0013-shade-meals.sql"
    private static let steps = """
        -- phase: expand
        -- migrate: transaction=none
        ALTER TABLE fitiq.sd_meal ADD COLUMN IF NOT EXISTS shade text;
        ALTER TABLE fitiq.sd_meal DROP COLUMN IF EXISTS no_such, ALTER COLUMN shade TYPE nonsense;
        -- phase: verify
        SELECT 'no shade' WHERE NOT EXISTS (
            SELECT FROM pg_attribute WHERE attrelid = 'fitiq.sd_meal'::regclass AND attname = 'shade');
        -- phase: contract
        ALTER TABLE fitiq.sd_meal DROP COLUMN shade;
        """

    private func resolve(
        _ folder: MigrationFolder, _ verdict: String, _ database: TestDatabase, id: String = "fitiq/13"
    ) async throws -> CommandRun {
        try await folder.migrate(
            "resolve", id, "--as", verdict, "--because", "shaded by hand, ticket 7", database: database.connectionString
        )
    }

    private func state(_ folder: MigrationFolder, _ database: TestDatabase) async throws -> MigrationStatus? {
        let statuses = try await Migrator(database.connectionString, lines: folder.lines()).status()
        return statuses.first { $0.path == Self.path }
    }

    @Test("M20: a step finished by hand counts once its verify steps hold")
    func whatWasFinishedByHandCountsOnceItsVerifyStepsHold() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try folder.write(Self.steps, to: Self.path)
                let up = try await folder.migrate("up", database: database.connectionString)
                #expect(up.status == 1 && up.errors.contains("nonsense"), "\(up.errors)")
                #expect(try await state(folder, database)?.state == .failedPartial(.expand))
                try await database.alter("DROP COLUMN shade")
                let refused = try await resolve(folder, "applied", database)
                #expect(
                    refused.status == 1 && refused.errors.contains("the query must return no row"), "\(refused.errors)")
                #expect(try await state(folder, database)?.state == .failedPartial(.expand))
                #expect(try await state(folder, database)?.resolution == nil)
                try await database.alter("ADD COLUMN shade text")
                let done = try await resolve(folder, "applied", database)
                #expect(done.status == 0 && done.output.contains("(verify) counts as applied"), "\(done.errors)")
                let status = try await state(folder, database)
                #expect(status?.state == .open(next: .contract))
                #expect(status?.resolution?.because == "shaded by hand, ticket 7")
                let shown = try await folder.migrate("status", database: database.connectionString)
                #expect(
                    shown.output.contains("Resolved as applied at") && shown.output.contains("ticket 7")
                        && shown.fitsScreen)
                #expect(shown.status == 3)
                let json = try await folder.migrate("status", "--json", database: database.connectionString)
                #expect(json.output.contains("\"because\":\"shaded by hand, ticket 7\""), "\(json.output)")
                // A server of an earlier release still needs the column that the contract drops.
                let lines = try Repository.migrations()
                let old = try await ServerRegistration.announce(database.connectionString, lines)
                let early = try await resolve(folder, "applied", database)
                #expect(early.status == 1 && early.errors.contains("Servers are at work that end with fitiq/12"))
                await old.end()
                #expect(try await resolve(folder, "applied", database).status == 0)
                #expect(try await state(folder, database)?.isApplied == true)
                let again = try await resolve(folder, "applied", database)
                #expect(again.status == 1 && again.errors.contains("It is applied."))
            }
        }
    }

    @Test("M20: a step undone by hand runs from its beginning")
    func whatWasUndoneByHandIsRunFromItsBeginning() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                let pending = Self.steps.replacing("ALTER COLUMN shade TYPE nonsense", with: "ADD COLUMN tint nonsense")
                try folder.write(pending, to: Self.path)
                let untouched = try await resolve(folder, "pending", database)
                #expect(untouched.status == 1 && untouched.errors.contains("It is pending."), "\(untouched.errors)")
                #expect(try await folder.migrate("up", database: database.connectionString).status == 1)
                #expect(try await state(folder, database)?.records.first?.statementsDone == 1)
                try await database.alter("DROP COLUMN shade")
                let done = try await resolve(folder, "pending", database)
                #expect(done.status == 0 && done.output.contains("(expand) counts as pending"), "\(done.errors)")
                #expect(try await state(folder, database)?.state == .pending)
                try folder.write(pending.replacing("tint nonsense", with: "tint text"), to: Self.path)
                let up = try await folder.migrate("up", "--contract", database: database.connectionString)
                #expect(up.status == 0, "\(up.errors)")
                #expect(try await state(folder, database)?.isApplied == true)
            }
        }
    }

    @Test func itRefusesWhereItMakesNoSense() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try folder.write("-- phase: expand\nSELECT nonsense;", to: Self.path)
                try folder.write("SELECT 1", to: "fitiq/0014-tint-meals.sql")
                let early = try await resolve(folder, "applied", database, id: "fitiq/14")
                #expect(early.status == 1 && early.errors.contains("\(Self.path) comes before it"), "\(early.errors)")
                #expect(try await folder.migrate("up", database: database.connectionString).status == 1)
                let clean = try await resolve(folder, "pending", database)
                #expect(clean.status == 1 && clean.errors.contains("Nothing of the step that failed was kept"))
                let taken = try await resolve(folder, "pending", database, id: "fitiq/3")
                #expect(taken.status == 1 && taken.errors.contains("by another migration"))
                #expect(try await resolve(folder, "applied", database, id: "fitiq/99").status == 1)
                #expect(try await resolve(folder, "perhaps", database).status == 2)
                let mute = try await folder.migrate(
                    "resolve", "fitiq/13", "--as", "applied", database: database.connectionString)
                #expect(mute.status == 2 && mute.errors.contains("‘--because’ is missing"))
                // While a run is at work, no decision is accepted.
                let session = try await database.session()
                try await session.execute(
                    Command(
                        """
                        SELECT pg_advisory_lock(hashtextextended('syncserver', oid::bigint))
                        FROM pg_database WHERE datname = current_database()
                        """))
                let busy = try await resolve(folder, "applied", database)
                #expect(
                    busy.status == 1 && busy.errors.contains("Another migration run holds the lock"), "\(busy.errors)")
                await session.close()
            }
        }
    }
}

extension TestDatabase {
    fileprivate func alter(_ change: String) async throws {
        let session = try await session()
        try await session.execute(Command(Statement(unchecked: "ALTER TABLE fitiq.sd_meal \(change)")))
        await session.close()
    }
}
