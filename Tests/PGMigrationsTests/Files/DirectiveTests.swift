import Foundation
import SyncTestSupport
import Testing

@testable import PGMigrations

/// Directives of migration files, and comments that only look like directives.
@Suite struct DirectiveTests {
    private static func read(_ sql: String) throws -> MigrationFile {
        try MigrationFile(line: "fitiq", fileName: "0012-do-thing.sql", bytes: Array(sql.utf8))
    }

    /// Returns the line at which the text is rejected as a mistake; `nil` if it is accepted.
    private static func slip(in sql: String) throws -> Int? {
        do throws(MigrationError) {
            _ = try MigrationFile(line: "fitiq", fileName: "0012-do-thing.sql", bytes: Array(sql.utf8))
            return nil
        } catch {
            guard case .badDirective(_, let line, _) = error else { throw error }
            return line
        }
    }

    /// One directive of each kind, at a position where it is read.
    private static let samples = [
        "phase: expand", "phase: backfill", "phase: verify", "phase: contract", "sync: silent",
        "sync: republish(SDMeal)", "sync: republish(SDMeal, SDMood)", "migrate: transaction=none",
        "migrate: table=fitiq.sd_meal batch=1000", "migrate: batch=10 table=fitiq.sd_meal",
        "requires: census(<2.0.0)=0 for 30d", "requires: retired(<2.0.0)",
        "accepts: 5cc39c0d8ed52394597936920021e8e9bb9018433f85ca22f399390e4702d64e",
        "lint: allow(rename) because nobody has ever served it",
    ]

    /// Returns a file with the comment at a valid position; `requires` is in a contract.
    private static func file(with comment: String) -> String {
        let isPhase = comment.lowercased().contains("phase")
        return (isPhase ? "" : "-- phase: contract\n") + "\(comment)\nSELECT 1;\n"
    }

    @Test(arguments: samples) func aDirectiveIsRead(_ sample: String) throws {
        for comment in ["-- \(sample)", "--\(sample)", "  --   \(sample)  ", "\t-- \(sample)"] {
            #expect(try Self.slip(in: Self.file(with: comment)) == nil, "\(comment)")
        }
    }

    /// Returns the texts that one typing mistake makes of a directive.
    private static func slips(of sample: String) -> [String] {
        let key = String(sample.prefix { $0 != ":" })
        let value = String(sample.dropFirst(key.count + 1).drop { $0 == " " })
        let letters = Array(key)
        var keys = [key.uppercased(), key.prefix(1).uppercased() + key.dropFirst(), key + "s", key + "d"]
        for index in letters.indices {
            keys.append(String(letters[..<index] + letters[(index + 1)...]))
            keys.append(String(letters[..<index] + ["x"] + letters[(index + 1)...]))
            keys.append(String(letters[...index] + letters[index...]))
            if index > 0 {
                keys.append(
                    String(letters[..<(index - 1)] + [letters[index], letters[index - 1]] + letters[(index + 1)...]))
            }
        }
        let misspelt = keys.filter { $0 != key }.map { "-- \($0): \(value)" }
        let misplaced = [
            "/* \(sample) */", "/* \(key.uppercased()): \(value) */", "/*\n * \(sample)\n */", "SELECT 2; -- \(sample)",
            "/* a remark */ -- \(sample)", "-- a remark\u{2028}-- \(sample)", "-- a remark\u{0B}-- \(sample)",
            "-- a remark\u{85}\(sample)",
        ]
        let missigned = [
            "-- \(key) : \(value)", "-- \(key) \(value)", "-- \(key)= \(value)", "-- \(key) - \(value)",
            "-- \(key) \u{2013} \(value)", "-- \(key)\u{FF1A} \(value)", "-- \(key); \(value)", "--- \(sample)",
            "-- -- \(sample)", "-- \u{2013} \(sample)", "-- * \(sample)", "-- #\(sample)", "-- @\(sample)",
            "-- \(key)\u{A0}: \(value)", "-- \(key.prefix(1))\u{200B}\(key.dropFirst()): \(value)",
            "-- \(key)\t:\(value)", "-- \u{2022} \(sample)", "-- (\(sample))", "-- [\(sample)]", "-- 1. \(sample)",
            "-- \u{2192} \(sample)", "-- \(key)\u{FE13} \(value)", "-- \(key)\u{FE0F}: \(value)",
            "-- \(key)(\(value))", "-- \(mathematical(key)): \(value)", "-- \(circled(key)): \(value)",
        ]
        return misspelt + misplaced + missigned
    }

    private static func mathematical(_ word: String) -> String { moved(word, to: 0x1D41A) }

    private static func circled(_ word: String) -> String { moved(word, to: 0x24D0) }

    /// Returns the word in the letters of another alphabet that begins at `start`.
    private static func moved(_ word: String, to start: UInt32) -> String {
        String(
            String.UnicodeScalarView(word.unicodeScalars.compactMap { Unicode.Scalar(start + $0.value - 0x61) }))
    }

    /// With the misspelling `require` a contract dropped its column at once.
    @Test(arguments: samples) func whatLooksLikeADirectiveAndIsNoneIsRefused(_ sample: String) throws {
        let slips = Self.slips(of: sample)
        #expect(slips.count > 40)
        for slip in slips {
            #expect(try Self.slip(in: Self.file(with: slip)) != nil, "\(slip)")
        }
    }

    @Test(arguments: [
        ("-- phase: expand\nSELECT 1; -- phase: contract\nSELECT 2;", 2),
        ("-- Phase: expand\nSELECT 1;\n-- Sync: republish(SDMeal)\n-- Phase: backfill\nSELECT 2;", 1),
        ("-- phase: expand\nSELECT 1;\n-- phase: contract\n-- require: census(<0.1.0)=0 for 30d\nSELECT 2;", 4),
        ("-- phase: expand\nSELECT 1;\n-- phase : contract\nSELECT 2;", 3),
        ("-- phase: contract\n-- requires census(<0.1.0)=0 for 30d\nSELECT 2;", 2),
        ("-- phase: contract\n-- census(<0.1.0)=0 for 30d\nSELECT 2;", 2),
        ("-- retired(<2.0.0)\nSELECT 2;", 1), ("SELECT 1;\n-- Republish (SDMeal)\nSELECT 2;", 2),
        ("-- table=fitiq.sd_meal batch=10\nSELECT 2;", 1), ("-- batch = 10 table=fitiq.sd_meal\nSELECT 2;", 1),
        ("-- transaction=none\nSELECT 2;", 1), ("-- allow(rename) because nobody has served it\nSELECT 2;", 1),
        ("-- phaze: contrct\nSELECT 2;", 1), ("-- migrate tabel=fitiq.sd_meal bacth=10\nSELECT 2;", 1),
        ("-- migrate: tabel=fitiq.sd_meal\nSELECT 2;", 1), ("-- phase: contrct\nSELECT 2;", 1),
        ("-- migrate: table=fitiq.sd_meal table=fitiq.sd_mood\nSELECT 2;", 1),
        ("-- migrate: table=fitiq.sd_meal batch\nSELECT 2;", 1), ("-- sync: silnt\nSELECT 2;", 1),
        ("-- sync: republish()\nSELECT 2;", 1), ("-- sync: republish(SDMeal SDMood)\nSELECT 2;", 1),
        ("-- sync: silent\n-- sync: republish(SDMeal)\nSELECT 2;", 2),
        ("-- migrate: transaction=none\n-- migrate: table=fitiq.sd_meal\nSELECT 2;", 2),
        ("-- phase: contract\n-- needs: census(<2.0.0)=0 for 30d\nSELECT 2;", 2),
        ("-- phase: contract\n-- gate: retired(<2.0.0)\nSELECT 2;", 2),
        ("-- phase: contract\n-- when census(<2.0.0)=0 for 30d\nSELECT 2;", 2),
        ("-- phase: contract\n-- census: <2.0.0 = 0 for 30d\nSELECT 2;", 2),
        ("-- phase: contract\n-- only if nobody is left: census (<2.0.0)=0 for 30d\nSELECT 2;", 2),
        ("-- phase: contract\n-- needs: cencus(<2.0.0)=0 for 30d\nSELECT 2;", 2),
        ("-- say ‘-- requires: census(<2.0.0)=0 for 30d’ on a line of its own\nSELECT 2;", 1),
        ("-- phase: contract\n-- requires:\n-- census(<2.0.0)=0 for 30d\nSELECT 2;", 3),
        ("-- phase(contract)\nSELECT 2;", 1), ("-- next phase: contract\nSELECT 2;", 1),
        ("-- step: contract\nSELECT 2;", 1), ("-- Stage: contract\nSELECT 2;", 1),
        ("-- republish: SDMeal\nSELECT 2;", 1), ("-- republish: SDMeal, SDMood\nSELECT 2;", 1),
        ("-- migration: transaction=none\nSELECT 2;", 1), ("-- transaction: none\nSELECT 2;", 1),
        ("SELECT 1,\n-- phase: contract\n2;", 2), ("SELECT 1,\n-- sync: silent\n2;", 2),
    ])
    func aSlipIsNamedWithItsLine(sql: String, line: Int) throws {
        #expect(try Self.slip(in: sql) == line)
    }

    @Test func theMessageSaysWhatToWrite() throws {
        let error = try #require(#expect(throws: MigrationError.self) { try Self.read("-- Phase: expand\nSELECT 1") })
        #expect(
            "\(error)" == "fitiq/0012-do-thing.sql:1: ‘Phase: expand’ is read as a remark, and looks like "
                + "‘-- phase: …’. Write it exactly so, on a line of its own; or begin the remark with another word.")
    }

    @Test(arguments: [
        "Each phase is a transaction: see the manual.", "This phase: the contract.", "Phases never go back.",
        "Phase 1: expand adds the column", "Phase expand adds the column", "Phase contract drops the trigger.",
        "sync is silent", "Silent: no record gets a new number", "Syncing needs no column here.",
        "Sync silently passes over it", "The sync: nothing is sent.", "Requires PostgreSQL 15.",
        "It requires: nothing", "requires census data of a month", "Required by census and sync.",
        "migrate up runs it at once", "Migrate the table in batches", "migrations it knows.",
        "Migration: adds a column",
        "Accepts null as well.", "accepts what devices send: nulls", "Lint is happy", "Hint: read the page",
        "Link: the table of names", "Line: the first",
        "List: names and ages", "Note: phase contract is in the next file",
        "‘-- phase: contract’ begins the next step.",
        "A table = rows and columns", "Phrase: a text of few words", "Paste: what was copied",
        "Since: when it was made", "census(s) are counted", "expand", "contract", "=== expand ===", "Zeros: everyone.",
        "The census tells who is left.", "Census of 30 days: nobody", "A retired version is one that has ended.",
        "Retired: versions below 2.0.0", "when it was made", "When: never null", "Needs an index.", "Needs: nothing",
        "Gate: see the page", "The gate (census) is shut", "Step 1: expand adds it", "Step by step",
        "Stage: the second of three",
        "Transaction: each batch has its own", "transaction none of the others sees", "Migration: the first of two",
        "Migrations are files", "Republish: all meals are sent again", "Republished records get numbers",
        "Effect: nothing is sent", "Effects of it are silent", "Devices: none is told", "devices sync later",
        "• a bullet", "(see the phase above)", "[1] the manual, chapter 13", "1. Add the column", "2) Fill it",
        "→ next file", "phase (see above) is long", "The phase: expand comes first", "this is no phase: it contracts",
        "α: the first letter", "日本語のコメント", "Größe: in cm", "𝐁𝐨𝐥𝐝: a remark", "ⓘ see below",
        "x = 1: no record", "a < b", "1 < 2.0", "needs < 5 minutes", "When < 1 s, done at once",
        "The table: fitiq.sd_meal", "Batch of 1000 rows: some milliseconds", "Requires nothing for 30 days",
        "none", "Note (silent)", "The trigger (retired) is gone", "who retired?", "census",
        "backfill: see below", "phases", "sync", "lint", "Excepts: nothing",
    ])
    func proseIsNone(_ text: String) throws {
        for comment in ["-- \(text)", "/* \(text) */", "SELECT 3; -- \(text)", "/*\n  \(text)\n*/"] {
            #expect(try Self.slip(in: "\(comment)\nSELECT 1;") == nil, "\(comment)")
        }
    }

    @Test func whatIsQuotedOrInABodyIsNone() throws {
        let file = try Self.read(
            """
            SELECT '
            -- phase: contract
            -- require: census(<2.0.0)=0 for 30d
            ';
            CREATE FUNCTION fitiq.f() RETURNS int LANGUAGE sql AS $$
            -- Phase: contract
            SELECT 1 $$;
            """)
        #expect(file.steps.map(\.phase) == [.expand])
    }

    /// Reads every SQL file of the project.
    @Test func everyFileThatIsThereIsRead() throws {
        var count = 0
        for root in ["Migrations", "Tests", "Benchmarks", "Examples", "docs"] {
            let folder = URL(filePath: "\(Repository.root)/\(root)")
            let paths = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let url = paths?.nextObject() as? URL {
                guard url.pathExtension == "sql", url.lastPathComponent.prefixMatch(of: /\d{4}-/) != nil else {
                    continue
                }
                let bytes = Array(try Data(contentsOf: url))
                _ = try MigrationFile(line: "fitiq", fileName: url.lastPathComponent, bytes: bytes)
                count += 1
            }
        }
        #expect(count > 50)
    }
}
