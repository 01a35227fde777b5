import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver migrate plan`: the steps of a run, shown before the run.
@Suite struct PlanCommandTests {
    private static let steps = """
        -- phase: expand
        ALTER TABLE fitiq.sd_meal ADD COLUMN shade text;
        ALTER TABLE fitiq.sd_progress_entry ADD CONSTRAINT shaded CHECK (seq > 0);
        -- phase: backfill
        -- migrate: table=fitiq.sd_meal batch=100
        -- sync: republish(SDMeal)
        UPDATE fitiq.sd_meal AS meal SET shade = 'none' FROM batch
        WHERE (meal.space_id, meal.id) = (batch.space_id, batch.id) AND meal.shade IS NULL;
        -- phase: verify
        SELECT id FROM fitiq.sd_meal WHERE shade IS NULL;
        -- phase: contract
        -- requires: census(<0.1.1)=0 for 30d
        ALTER TABLE fitiq.sd_meal ALTER COLUMN shade SET NOT NULL;
        """

    @Test("M11: a plan shows locks, sizes, devices and the waits of contracts")
    func itSaysLocksSizesDevicesAndWhatContractsWaitFor() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try await database.fillMeals(7)
                try folder.write(Self.steps, to: "fitiq/0013-shade-meals.sql")
                let before = try await database.ledgerText()
                let published = try Repository.migrations()
                let old = try await ServerRegistration.announce(
                    database.connectionString, published.filter { $0.name == "fitiq" })
                let run = try await folder.migrate("plan", "--contract", database: database.connectionString)
                await old.end()
                // The check is not added NOT VALID: the plan shows the linter's error.
                #expect(run.status == 1, "\(run.errors)")
                #expect(run.fitsScreen, "\(run.output)")
                for words in [
                    "fitiq/0013-shade-meals.sql (expand) runs, in one transaction",
                    "ALTER TABLE fitiq.sd_meal ADD COLUMN shade text",
                    "locks fitiq.sd_meal: ACCESS EXCLUSIVE, pulls and pushes wait; about 7 rows, ",
                    "locks fitiq.sd_progress_entry: ACCESS EXCLUSIVE, pulls and pushes wait; every row is read",
                    "(backfill) runs, 100 rows at a time", "locks fitiq.sd_meal: ROW EXCLUSIVE, nobody waits",
                    "devices: up to about 7 records are sent again, SDMeal to every device of 0.0.6 to 0.1.1, ",
                    "devices: no record changes", "(contract) waits",
                    "requires census(<0.1.1)=0 for 30d: No server has kept the census",
                    "requires no server at work that ends before fitiq/13: Servers are at work that end",
                    "[constraint-checked-at-once]", "4 steps of 1 files are pending, of which 1 would not run.",
                ] {
                    let unwrapped = run.output.split(separator: "\n").map { $0.drop { $0 == " " } }
                        .joined(separator: " ")
                    #expect(unwrapped.contains(words), "\(words)\n\(run.output)")
                }
                #expect(try await database.ledgerText() == before)
            }
        }
    }

    @Test func machinesReadTheSame() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try await database.fillMeals(3)
                try folder.write(Self.steps, to: "fitiq/0013-shade-meals.sql")
                let run = try await folder.migrate("plan", "--json", database: database.connectionString)
                let json = try JSONValue(parsing: Array(run.output.utf8))
                let steps = json["steps"].elements
                #expect(steps.map { $0["phase"] } == ["expand", "backfill", "verify", "contract"])
                #expect(steps.map { $0["fate"] } == ["runs", "runs", "runs", "left"])
                #expect(steps[1]["rows"] == 3 && steps[1]["republished"].elements[0]["entity"] == "SDMeal")
                #expect(steps[1]["republished"].elements[0]["versions"].elements.first == "0.0.6")
                #expect(steps[3]["conditions"].elements.count == 2)
                // No server is running, but the census has not been kept for long enough.
                #expect(
                    steps[3]["conditions"].elements.map { $0["obstacle"] == .null } == [false, true], "\(run.output)")
                #expect(json["findings"].elements.contains { $0["severity"] == "error" })
            }
        }
    }

    @Test func nothingPendingIsSaidAndANewDatabaseHasNobodyToWaitFor() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase { database in
                let new = try await folder.migrate("plan", database: database.connectionString)
                #expect(new.status == 0 && new.fitsScreen, "\(new.output)\(new.errors)")
                #expect(new.output.contains("sync/0001-create-spaces-and-tokens.sql (expand) runs"))
                #expect(!new.output.contains("is left") && new.output.contains("of which 0 would not run"))
                let session = try await database.session()
                let made = try await session.execute(Command("SELECT to_regnamespace('sync') IS NULL"))
                #expect(made.bool(0, 0))
                await session.close()
            }
            try await withTestDatabase(migrated: folder.lines()) { database in
                let none = try await folder.migrate("plan", database: database.connectionString)
                #expect(none.status == 0 && none.output == "Nothing is pending.\n")
                let unknown = try await folder.migrate("plan", "--to", "fitiq/99", database: database.connectionString)
                #expect(unknown.status == 1 && unknown.errors.contains("no migration 99"))
                try folder.write(
                    try folder.read("fitiq/0003-create-sleep.sql") + "SELECT 1;", to: "fitiq/0003-create-sleep.sql")
                let changed = try await folder.migrate("plan", database: database.connectionString)
                #expect(changed.status == 1 && changed.errors.contains("has changed since it was applied"))
            }
        }
    }
}

extension TestDatabase {
    fileprivate func fillMeals(_ count: Int) async throws {
        let session = try await Session.open(superuserConnectionString)
        let space = "'00000000-0000-4000-8000-000000000001'"
        try await session.execute(
            Command(
                Statement(
                    unchecked: """
                        INSERT INTO fitiq.sd_meal (space_id, id, seq, alive, stamp, born, died, raw_input, meal_type,
                            status, logged_at, created_at, sync_status)
                        SELECT \(space), md5(n::text)::uuid, n, true, n, n, 0, '', '', '', now(), now(), ''
                        FROM generate_series(1, \(count)) AS n
                        """)))
        await session.close()
    }

    fileprivate func ledgerText() async throws -> String {
        let session = try await session()
        let rows = try await session.execute(
            Command("SELECT string_agg(m::text, ';' ORDER BY line, number) FROM sync.migration AS m"))
        await session.close()
        return rows.string(0, 0)
    }
}
