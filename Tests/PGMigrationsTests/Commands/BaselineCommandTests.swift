import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver migrate baseline`: a ledger for tables that were created without one.
@Suite(.serialized) struct BaselineCommandTests {
    @Test("M15: tables that equal those of the files get a ledger")
    func tablesThatAreWhatTheFilesMakeGetTheirLedger() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                #expect(try await database.copies() == [])
                try await database.alter("DELETE FROM sync.migration; DELETE FROM sync.migration_step")
                let early = try await baseline(folder, "fitiq/12", database)
                #expect(early.status == 1 && early.errors.contains("The server's own tables come first"))
                let ownCount = try folder.lines().level(of: "sync")
                for id in ["sync/\(ownCount)", "fitiq/12"] {
                    let run = try await baseline(folder, id, database)
                    #expect(
                        run.status == 0 && run.output.contains("The ledger says so now."), "\(run.output)\(run.errors)")
                }
                let statuses = try await Migrator(database.connectionString, lines: folder.lines()).status()
                let baselined = statuses.filter { ["sync", "fitiq"].contains($0.id.line) }
                #expect(baselined.count == ownCount + 12 && baselined.allSatisfy(\.isApplied), "\(statuses)")
                #expect(statuses.filter { $0.id.line == "keeptrack" }.allSatisfy { $0.state == .pending })
                let again = try await baseline(folder, "fitiq/12", database)
                #expect(again.status == 1 && again.errors.contains("has the line fitiq already"))
                #expect(try await database.copies() == [])
            }
        }
    }

    @Test(
        "M15: a difference is listed and nothing is recorded",
        arguments: [
            ("ALTER TABLE fitiq.sd_meal ADD COLUMN extra text", "column fitiq.sd_meal.extra", "the files say: nothing"),
            ("ALTER TABLE fitiq.sd_meal DROP COLUMN notes", "column fitiq.sd_meal.notes", "it is: nothing"),
            (
                "ALTER TABLE fitiq.sd_meal ALTER notes TYPE varchar(9)", "column fitiq.sd_meal.notes",
                "character varying(9)"
            ),
            ("ALTER TABLE fitiq.sd_meal ALTER notes SET NOT NULL", "column fitiq.sd_meal.notes", "text NOT NULL"),
            (
                "ALTER TABLE fitiq.sd_meal ALTER notes SET DEFAULT 'x'", "column fitiq.sd_meal.notes",
                "DEFAULT 'x'::text"
            ),
            ("ALTER TABLE fitiq.sd_meal NO FORCE ROW LEVEL SECURITY", "table fitiq.sd_meal", "it is: row security"),
            (
                "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT few CHECK (seq < 9)", "constraint fitiq.sd_meal (few)",
                "seq < 9"
            ),
            ("CREATE INDEX few ON fitiq.sd_meal (space_id, notes)", "index fitiq.sd_meal (few)", "CREATE INDEX few"),
            (
                "CREATE POLICY few ON fitiq.sd_meal USING (true)", "policy fitiq.sd_meal (few)",
                "permissive for * to public"
            ),
            (
                "CREATE FUNCTION fitiq.few() RETURNS int LANGUAGE sql AS 'SELECT 1'", "function fitiq.few()",
                "RETURNS integer"
            ),
            (
                "CREATE TRIGGER few BEFORE UPDATE ON fitiq.sd_meal FOR EACH ROW "
                    + "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
                "trigger fitiq.sd_meal (few)", "suppress_redundant"
            ),
        ])
    func aDifferenceIsListedAndNothingIsRecorded(change: String, object: String, definition: String) async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                try await database.alter("DELETE FROM sync.migration WHERE line = 'fitiq'")
                try await database.alter("DELETE FROM sync.migration_step WHERE line = 'fitiq'")
                try await database.alter(change)
                let run = try await baseline(folder, "fitiq/12", database)
                #expect(run.status == 1 && run.fitsScreen, "\(run.errors)")
                #expect(run.output.contains("\(object):\n"), "\(run.output)")
                #expect(
                    run.output.contains(definition) && run.output.contains("nothing was recorded."), "\(run.output)")
                let recorded = try await database.text("SELECT count(*)::text FROM sync.migration WHERE line = 'fitiq'")
                #expect(recorded == "0")
            }
        }
    }

    @Test func aLoginThatMayNotCreateDatabasesIsToldSo() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase { database in
                try await database.withLogin { login in
                    let run = try await folder.migrate("baseline", "sync/8", database: login)
                    #expect(run.status == 1 && run.errors.contains("CREATEDB"), "\(run.errors)")
                }
                let json = try await folder.migrate(
                    "baseline", "sync/8", "--json", database: database.superuserConnectionString)
                let outcome = try JSONValue(parsing: Array(json.output.utf8))
                #expect(json.status == 1 && outcome["recorded"] == false)
                #expect(outcome["differences"].elements.contains { $0["object"] == "table sync.space" })
            }
        }
    }

    private func baseline(
        _ folder: MigrationFolder, _ id: String, _ database: TestDatabase
    ) async throws -> CommandRun {
        try await folder.migrate("baseline", id, database: database.superuserConnectionString)
    }
}

extension TestDatabase {
    fileprivate func alter(_ script: String) async throws {
        let session = try await Session.open(superuserConnectionString)
        for statement in script.split(separator: ";") {
            try await session.execute(Command(Statement(unchecked: String(statement))))
        }
        await session.close()
    }

    fileprivate func text(_ query: String) async throws -> String {
        let session = try await Session.open(superuserConnectionString)
        let rows = try await session.execute(Command(Statement(unchecked: query)))
        await session.close()
        return rows.string(0, 0)
    }
}
