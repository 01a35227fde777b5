import DemoApps
import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import PGMigrations

/// The linter, applied to a corpus of hazards and to harmless files.
@Suite struct HazardTests {
    private static let linter = Result { MigrationLinter(plans: try DemoApps.all.map { try Plan($0) }) }

    private static func findings(_ sql: String) throws -> [LintFinding] {
        let file = try MigrationFile(line: "fitiq", fileName: "0001-do-it.sql", bytes: Array(sql.utf8))
        return try linter.get().findings(in: MigrationLine(name: "fitiq", files: [file]))
    }

    @Test(arguments: Hazard.all) func aHazardIsJudgedAsTheCorpusSays(_ hazard: Hazard) throws {
        let verdict: Hazard.Verdict
        do {
            let rules = try Self.findings(hazard.sql).map(\.rule)
            switch hazard.verdict {
            case .found(let rule) where rules.contains(rule): return
            default: verdict = rules.first.map { .found($0) } ?? .missed
            }
        } catch is MigrationError {
            verdict = .refused
        }
        #expect(verdict == hazard.verdict)
    }

    @Test(arguments: HarmlessStatements.all) func nothingIsSaidOfWhatIsHarmless(_ sql: String) throws {
        let findings = try Self.findings(sql)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test func theCorpusIsLargeAndHasEveryRule() {
        #expect(Hazard.all.count - Hazard.missed.count >= 120)
        #expect(HarmlessStatements.all.count >= 40)
        #expect(Set(Hazard.all.map(\.sql)).count == Hazard.all.count)
        let rules = Hazard.all.compactMap { hazard -> String? in
            guard case .found(let rule) = hazard.verdict else { return nil }
            return rule
        }
        #expect(Set(rules) == Set(LintRule.all.map(\.name)))
    }

    @Test func whatIsMissedIsListedInTheDocument() throws {
        let document = try String(contentsOfFile: "\(Repository.root)/docs/migrations.md", encoding: .utf8)
        let section = try #require(
            document.components(separatedBy: "\n## ").first { $0.hasPrefix("What the linter does not find") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let listed = rows.map { row in
            String(row.components(separatedBy: "` |")[0].dropFirst("| `".count)).replacing("\\|", with: "|")
        }
        let missed = Hazard.missed.map { hazard in
            hazard.sql.replacing(String(repeating: "n", count: 64), with: "n…n").replacing("\n", with: " ")
        }
        #expect(listed == missed)
        #expect(Hazard.all.filter { $0.verdict == .missed }.count == missed.count)
        #expect(rows.allSatisfy { $0.split(separator: "|").count >= 2 && $0.hasSuffix(". |") }, "each says why")
    }
}
