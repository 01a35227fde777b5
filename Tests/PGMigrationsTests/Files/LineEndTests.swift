import Foundation
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import PGMigrations
@testable import SyncCommands

/// Line ends: directives, checksums, comparisons and execution treat all of them alike.
@Suite struct LineEndTests {
    private static func read(_ text: String) throws -> MigrationFile {
        try MigrationFile(line: "fitiq", fileName: "0012-do-thing.sql", bytes: Array(text.utf8))
    }

    private static let text = """
        -- sync: silent
        -- phase: expand
        ALTER TABLE fitiq.sd_meal ADD COLUMN shade text;
        CREATE FUNCTION fitiq.f() RETURNS text LANGUAGE sql SET search_path = pg_catalog AS $$
            SELECT 'a
        b'
        $$;

        -- phase: contract
        -- requires: census(<0.1.0)=0 for 30d
        ALTER TABLE fitiq.sd_meal DROP COLUMN notes;

        """

    @Test(arguments: ["\r", "\r\n", "\r\r\n"]) func oneFileIsOneWhateverEndsItsLines(_ end: String) throws {
        let plain = try Self.read(Self.text)
        let other = try Self.read(Self.text.replacing("\n", with: end))
        #expect(other == plain)
        #expect(other.checksum == plain.checksum && other.sql == Self.text)
        #expect(other.steps.map(\.phase) == [.expand, .contract])
        #expect(try Self.read("\u{FEFF}" + Self.text.replacing("\n", with: end)) == plain)
        #expect(try Self.read(Self.text.replacing("\n", with: " \t\(end)")).checksum == plain.checksum)
    }

    @Test func mixedEndsAreOneToo() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        // Without blank lines, because CR followed by LF would count as one line end instead of two.
        let lines = Self.text.split(separator: "\n")
        let plain = try Self.read(lines.joined(separator: "\n"))
        for _ in 0..<200 {
            let mixed = try Self.read(
                lines.reduce("") { $0 + $1 + (["\n", "\r\n", "\r"].randomElement(using: &random) ?? "\n") })
            #expect(mixed.steps == plain.steps && mixed.checksum == plain.checksum, "seed \(seed)")
        }
    }

    /// With CR as the only line end the contract ran at once.
    @Test func aFileOfCarriageReturnsKeepsItsPhases() throws {
        let contract =
            "-- phase: expand\rALTER TABLE fitiq.sd_meal ADD COLUMN shade text;\r-- phase: contract\r"
            + "ALTER TABLE fitiq.sd_meal DROP COLUMN notes;\r"
        #expect(try Self.read(contract).steps.map(\.phase) == [.expand, .contract])
        let headless = "ALTER TABLE fitiq.sd_meal ADD COLUMN shade text;\r-- phase: contract\rSELECT 1;\r"
        #expect(throws: MigrationError.self) { try Self.read(headless) }
    }

    /// PostgreSQL ends a line only at LF and CR.
    @Test(arguments: ["\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}"])
    func whatOnlyEditorsTakeForALineEndHidesNothing(_ end: String) throws {
        #expect(throws: MigrationError.self) { try Self.read("-- A remark\(end)-- phase: contract\nSELECT 1;") }
        #expect(try Self.read("-- A remark\(end)goes on.\nSELECT 1;").steps.map(\.phase) == [.expand])
    }

    @Test func aByteOrderMarkElsewhereIsRefused() throws {
        let error = #expect(throws: MigrationError.self) { try Self.read("\u{FEFF}\u{FEFF}SELECT 1;") }
        #expect("\(try #require(error))".contains("U+FEFF is no blank to PostgreSQL"))
        #expect(throws: MigrationError.self) { try Self.read("SELECT 1;\n\u{FEFF}SELECT 2;") }
    }

    @Test func whatIsPublishedHasTheChecksumsThatItHad() throws {
        let lock = try SchemaLock(
            parsing: String(contentsOfFile: "\(Repository.migrationsDirectory)/schemas.lock", encoding: .utf8))
        let files = try Repository.migrations().flatMap(\.files)
        for case .migration(let path, let checksum) in lock.entries {
            let file = try #require(files.first { $0.path == path })
            #expect(file.checksum == checksum || file.accepted.contains(checksum), "\(path)")
        }
    }

    @Test(arguments: ["\r\n", "\r"]) func theLockIsReadFromSuchACheckout(_ end: String) throws {
        let text = try String(contentsOfFile: "\(Repository.migrationsDirectory)/schemas.lock", encoding: .utf8)
        let lock = try SchemaLock(parsing: text.replacing("\n", with: end))
        #expect(lock.text == text && !lock.entries.isEmpty)
    }

    @Test(arguments: ["\r\n", "\r"]) func generatedSourcesAreCheckedInSuchACheckout(_ end: String) async throws {
        let words = ["schema", "swift", "2.0.0", "--app", "easitopen"]
        let source = try await CommandRun(words)
        let file = FileManager.default.temporaryDirectory.appending(path: "records-\(ID.random()).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(source.output.replacing("\n", with: end).utf8).write(to: file)
        let run = try await CommandRun(words + ["--check", file.path])
        #expect(run.status == 0, "\(run.errors)")
    }

    private static func run(_ script: String, _ database: TestDatabase) async throws {
        let session = try await Session.open(database.superuserConnectionString)
        try await session.runScript(script)
        await session.close()
    }

    /// Before the fix `doctor` reported 24 errors, and `baseline` refused to run.
    @Test func aDatabaseDoesNotDifferByTheCheckoutThatMadeIt() async throws {
        try await MigrationFolder.with { folder in
            let plain = try folder.lines()
            for line in plain {
                for file in line.files {
                    try folder.write(file.sql.replacing("\n", with: "\r\n"), to: file.path)
                }
            }
            let windows = try folder.lines()
            #expect(windows == plain)
            try await withTestDatabase(migrated: plain) { database in
                // The tables as an earlier server created them from such a checkout.
                try await Self.run(
                    """
                    DO $do$ BEGIN
                        EXECUTE (SELECT replace(
                            pg_get_functiondef('sync.enroll(regclass)'::regprocedure), E'\\n', E'\\r\\n'));
                    END $do$
                    """, database)
                let run = try await folder.migrate("doctor", "--json", database: database.superuserConnectionString)
                #expect(!run.output.contains("out-of-band"), "\(run.output)")
                try await Self.run("DELETE FROM sync.migration; DELETE FROM sync.migration_step", database)
                let count = try folder.lines().level(of: "sync")
                let based = try await folder.migrate(
                    "baseline", "sync/\(count)", database: database.superuserConnectionString)
                #expect(based.status == 0, "\(based.output)\(based.errors)")
            }
        }
    }
}
