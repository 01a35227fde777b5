import DemoApps
import Foundation
import PGStore
import SyncTestSupport
import Testing
import WireFormats

@testable import PGMigrations
@testable import SyncCommands

/// The linter of migration files.
@Suite struct MigrationLinterTests {
    /// The plans are compiled once, because that takes longer than all the tests.
    private static let compiled = Result { MigrationLinter(plans: try DemoApps.all.map { try Plan($0) }) }

    private static func linter() throws -> MigrationLinter { try compiled.get() }

    private static func findings(_ texts: String..., line: String = "fitiq") throws -> [LintFinding] {
        let files = try texts.enumerated().map { index, text in
            try MigrationFile(line: line, fileName: "000\(index + 1)-do-it.sql", bytes: Array(text.utf8))
        }
        return try linter().findings(in: try MigrationLine(name: line, files: files))
    }

    @Test("M21, M31: a rule finds what breaks it", arguments: LintCase.all)
    func aRuleFindsWhatBreaksIt(_ example: LintCase) throws {
        let findings = try Self.findings(example.broken, line: example.line).filter { $0.rule == example.rule }
        #expect(findings.map(\.line) == [example.foundLine], "\(findings)")
    }

    @Test("M21: a rule accepts the near miss", arguments: LintCase.all)
    func aRuleLeavesTheNearMiss(_ example: LintCase) throws {
        let findings = try Self.findings(example.sound, line: example.line)
        #expect(!findings.contains { $0.rule == example.rule }, "\(findings)")
    }

    @Test func everyRuleHasAnExample() {
        #expect(Set(LintCase.all.map(\.rule)) == Set(LintRule.all.map(\.name)))
        #expect(Set(LintRule.all.map(\.name)).count == LintRule.all.count)
    }

    @Test func everyRuleIsDocumented() throws {
        let path = "\(Repository.root)/docs/migrations.md"
        let document = try String(contentsOfFile: path, encoding: .utf8)
        let section = try #require(document.components(separatedBy: "\n## ").first { $0.hasPrefix("Linter") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let rules = LintRule.all.map { rule in
            let mark = rule.severity == .warning ? " (warning)" : ""
            return "| `\(rule.name)`\(mark) | \(rule.fault) | \(rule.advice) |"
        }
        #expect(rows == rules)
    }

    /// A model migration in its phases: the linter finds nothing.
    @Test func aMigrationInItsPhasesIsClean() throws {
        let findings = try Self.findings(
            """
            -- What was text is a number too.
            --
            -- sync: silent

            -- phase: expand
            ALTER TABLE fitiq.sd_meal
                ADD COLUMN score bigint,
                ADD CONSTRAINT score_is_there CHECK (score IS NOT NULL) NOT VALID;

            CREATE FUNCTION fitiq.fill_score() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog
            AS $$ BEGIN NEW.score := coalesce(NEW.score, 0); RETURN NEW; END $$;

            CREATE TRIGGER fill_score BEFORE INSERT OR UPDATE ON fitiq.sd_meal
                FOR EACH ROW EXECUTE FUNCTION fitiq.fill_score();

            -- phase: expand
            -- migrate: transaction=none
            CREATE INDEX CONCURRENTLY IF NOT EXISTS sd_meal_score ON fitiq.sd_meal (space_id, score);

            -- phase: backfill
            -- migrate: batch=1000 table=fitiq.sd_meal
            UPDATE fitiq.sd_meal AS item SET score = 0 FROM batch
            WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.score IS NULL;

            -- phase: verify
            SELECT space_id, id FROM fitiq.sd_meal WHERE score IS NULL LIMIT 1;

            -- phase: contract
            ALTER TABLE fitiq.sd_meal VALIDATE CONSTRAINT score_is_there;

            -- phase: contract
            ALTER TABLE fitiq.sd_meal ALTER COLUMN score SET NOT NULL, DROP CONSTRAINT score_is_there;
            DROP TRIGGER fill_score ON fitiq.sd_meal;
            """)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test func aProofMayBeInAnEarlierFile() throws {
        let proof = """
            -- phase: expand
            ALTER TABLE fitiq.sd_meal ADD CHECK (notes IS NOT NULL) NOT VALID;
            -- phase: contract
            ALTER TABLE fitiq.sd_meal VALIDATE CONSTRAINT sd_meal_notes_check;
            """
        let setting = "ALTER TABLE fitiq.sd_meal ALTER COLUMN notes SET NOT NULL"
        #expect(try Self.findings(proof, setting).isEmpty)
        let dropped = "ALTER TABLE fitiq.sd_meal DROP CONSTRAINT sd_meal_notes_check"
        #expect(try Self.findings(proof, dropped, setting).map(\.rule) == ["set-not-null-unproven"])
        #expect(try Self.findings("SELECT 1", setting).map(\.rule) == ["set-not-null-unproven"])
    }

    /// A table of an earlier file does not count as created by the file, whatever the file says.
    @Test func whatIsThereIsNotMadeAgain() throws {
        let made = "CREATE TABLE fitiq.new (LIKE sync.record INCLUDING ALL); SELECT sync.enroll('fitiq.new')"
        let again = "CREATE TABLE IF NOT EXISTS fitiq.new (x text);\n-- sync: silent\nDELETE FROM fitiq.new WHERE alive"
        #expect(try Self.findings(made, again).contains { $0.rule == "records-deleted" })
        #expect(try !Self.findings(again).contains { $0.rule == "records-deleted" })
        let gone = "-- phase: contract\nDROP TABLE fitiq.new"
        #expect(try !Self.findings(made, gone, again).contains { $0.rule == "records-deleted" })
    }

    /// The rule reads a requirement as the runner does.
    @Test func aRequirementIsJudgedAsItIsAsked() throws {
        let times = [
            "30d", "0d", "365d", "366d", "8760h", "8761h", "1s", "31536001s", "12", "d", "-1d", "1w",
            "9999999999999999d",
        ]
        let floors = ["<0.1.0", "< 0.1.0", "<=0.1.0", "0.1.0", "<0.1", "<0.1.0.0", "<a", "<0.01.0", "<"]
        let texts =
            times.map { "census(<0.1.0)=0 for \($0)" }
            + floors.flatMap {
                ["census(\($0))=0 for 30d", "retired(\($0))", "retired (\($0) )", "census(\($0)) = 1 for 30d"]
            }
        for text in texts {
            let isAsked = (try? RetirementGate(text)).flatMap(\.self) != nil || (try? CensusGate(text)) != nil
            let findings = try Self.findings("-- phase: contract\n-- requires: \(text)\nSELECT 1")
            #expect(findings.contains { $0.rule == "requirement-unknown" } == !isAsked, "\(text)")
        }
    }

    @Test func anAllowanceIsForTheStatementBelow() throws {
        let allowed = """
            ALTER TABLE fitiq.sd_meal RENAME TO meals;
            -- lint: allow(rename) because no server has ever used this table
            ALTER TABLE fitiq.sd_workout RENAME TO workouts;
            ALTER TABLE fitiq.sd_mood_entry
                -- lint: allow(rename) because no server has ever used this table
                RENAME TO moods;
            ALTER TABLE fitiq.sd_meal RENAME TO dishes;
            """
        let findings = try Self.findings(allowed).filter { $0.rule == "rename" }
        #expect(findings.map(\.line) == [1, 7])
    }

    @Test func whatIsPublishedBreaks() throws {
        let lines = try Repository.migrations()
        let linter = try Self.linter()
        let findings = try lines.flatMap { try linter.findings(in: $0) }
        let broken = Dictionary(grouping: findings, by: \.path).mapValues { Set($0.map(\.rule)) }
        // Published files, which can no longer change: they are older than steps, or use DO, which the tests of
        // row-level security check.
        #expect(
            broken == [
                "sync/0001-create-spaces-and-tokens.sql": ["code-not-checked"],
                // Functions whose search path sync/0013 fixes.
                "sync/0003-collect-tombstones.sql": ["constraint-checked-at-once", "definer-without-search-path"],
                "sync/0005-recognize-restored-databases.sql": ["definer-without-search-path"],
                "sync/0006-hold-changes.sql": ["definer-without-search-path"],
                "sync/0007-raise-spaces.sql": ["code-not-checked"],
                "sync/0008-count-devices.sql": ["definer-without-search-path"],
                "sync/0009-read-heads.sql": ["definer-without-search-path"],
                "sync/0010-ask-once-for-the-space.sql": ["code-not-checked"],
                "sync/0012-expect-large-spaces.sql": ["code-not-checked"],
                "sync/0013-narrow-what-serving-reaches.sql": ["code-not-checked"],
                "sync/0029-shut-what-stood-open.sql": ["code-not-checked"],
                "allesteurer/0002-make-numbers-exact.sql": ["column-type-changed", "several-tables-locked"],
                "easitopen/0003-add-place-and-dates.sql": [
                    "mixed-data-and-schema", "unbounded-change", "set-not-null-unproven",
                ],
                "fitiq/0009-create-workouts-and-rework-moods.sql": ["several-tables-locked"],
            ])
    }

    @Test func findingsFitATerminal() throws {
        for finding in try Self.findings("ALTER TABLE sd_meal RENAME TO meals; DROP TABLE a.b, a.c, a.d CASCADE") {
            let lines = "\(finding)".split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= 100 }, "\(finding)")
            #expect(lines[0].hasPrefix("fitiq/0001-do-it.sql:1: "))
            #expect("\(finding)".contains("[\(finding.rule)]"))
        }
    }

    private func status(_ words: String...) async -> Int32 {
        await SyncServerProgram.main(
            ["syncserver", "migrate", "lint", "--migrations", Repository.migrationsDirectory] + words)
    }

    @Test func theCommandReportsByItsStatus() async {
        #expect(await status("--all") == 1)
        #expect(await status("--all", "--json") == 1)
        #expect(await status("fitiq/0001-create-v1-tables.sql") == 0)
        #expect(await status("Migrations/keeptrack", "fitiq/0006-add-food-type.sql") == 0)
        // Warnings alone do not stop a run.
        #expect(await status("sync/0001-create-spaces-and-tokens.sql") == 0)
        #expect(await status("easitopen/0003-add-place-and-dates.sql") == 1)
        #expect(await status("fitiq/9999-is-not-there.sql") == 2)
    }

    @Test func withoutPathsOnlyWhatIsNotPublishedIsRead() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.copyItem(atPath: Repository.migrationsDirectory, toPath: folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lint = ["syncserver", "migrate", "lint", "--migrations", folder]
        #expect(await SyncServerProgram.main(lint) == 0)
        let count = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/keeptrack").count
        try "DROP TABLE keeptrack.sd_goal_v0".write(
            toFile: "\(folder)/keeptrack/000\(count + 1)-drop-goals.sql", atomically: true, encoding: .utf8)
        #expect(await SyncServerProgram.main(lint) == 1)
    }
}
