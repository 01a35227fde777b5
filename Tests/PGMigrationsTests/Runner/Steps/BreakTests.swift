import PGMigrations
import SyncTestSupport
import SyncTesting
import Testing

/// Steps that are no contracts and still remove everything that servers of the previous release could read.
@Suite struct BreakTests {
    private static let changes = [
        ("ALTER TABLE fitiq.sd_meal ALTER COLUMN notes TYPE jsonb USING to_jsonb(notes)", "gets another type"),
        ("ALTER TABLE fitiq.sd_meal DROP COLUMN notes", "whose column ‘notes’ goes"),
        ("ALTER TABLE fitiq.sd_meal RENAME COLUMN notes TO remarks", "has a column that does"),
        ("ALTER TABLE fitiq.sd_meal RENAME TO meal", "gets another name"),
        ("ALTER TABLE fitiq.sd_meal SET SCHEMA sync", "gets another name"),
        ("DROP TABLE fitiq.sd_meal", "which goes"),
        ("ALTER SCHEMA fitiq RENAME TO fit", "fitiq, which gets another name"),
        ("DROP SCHEMA fitiq CASCADE", "fitiq, which goes"),
    ]

    @Test("M23: a change that running servers could not read is refused", arguments: changes)
    func whatServersAtWorkCouldNotReadIsNotMade(sql: String, words: String) async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                let published = try folder.lines()
                let old = try await ServerRegistration.announce(database.connectionString, published)
                try folder.write("-- phase: expand\nSELECT 1;\n\(sql);", to: "fitiq/0013-break-meals.sql")
                let plan = try await folder.migrate("plan", database: database.connectionString)
                #expect(plan.output.contains("(expand) waits"), "\(plan.output)")
                let run = try await folder.migrate("up", database: database.connectionString)
                let text = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(run.status == 1, "\(run.output)")
                #expect(
                    text.contains("fitiq/0013-break-meals.sql:3: Servers are at work that end with fitiq/12"), "\(text)"
                )
                #expect(text.contains(words) && text.contains("Nothing was run."), "\(text)")
                let status = try await Migrator(database.connectionString, lines: folder.lines()).status()
                #expect(status.last { $0.id.line == "fitiq" }?.state == .pending)
                // Neither a server of another app nor one of this release blocks the step.
                await old.end()
                let other = try await ServerRegistration.announce(
                    database.connectionString, published.filter { $0.name != "fitiq" })
                let again = try await folder.migrate("up", database: database.connectionString)
                #expect(again.status == 0, "\(again.errors)")
                await other.end()
            }
        }
    }

    @Test func whatTheFileItselfMakesNobodyReads() async throws {
        try await MigrationFolder.with { folder in
            try await withTestDatabase(migrated: folder.lines()) { database in
                let old = try await ServerRegistration.announce(database.connectionString, folder.lines())
                try folder.write(
                    """
                    -- phase: expand
                    CREATE TABLE fitiq.shade (name text PRIMARY KEY, code text);
                    ALTER TABLE fitiq.shade ALTER COLUMN code TYPE bigint USING code::bigint;
                    ALTER TABLE fitiq.shade DROP COLUMN code;
                    """, to: "fitiq/0013-shade-meals.sql")
                let run = try await folder.migrate("up", database: database.connectionString)
                #expect(run.status == 0, "\(run.errors)")
                await old.end()
            }
        }
    }
}
