import Foundation
import SyncTestSupport
import Testing

@testable import SyncCommands

/// Tests that `--version` agrees with other files.
@Suite struct ProgramReleaseTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: URL(filePath: "\(Repository.root)/\(path)"), encoding: .utf8)
    }

    @Test func theProgramSaysIt() async throws {
        let run = try await CommandRun(["--version"])
        #expect(run.status == 0 && run.errors == "")
        #expect(run.output == ProgramRelease.description(of: "syncserver") + "\n")
        #expect(run.output.hasPrefix("syncserver \(ProgramRelease.version) ("))
        #expect(run.output.contains("protocol v1\nPostgreSQL 15 or newer; tested with 15, 17 and 18\n"))
    }

    @Test func theChangelogHasTheVersion() throws {
        #expect(try text("CHANGELOG.md").contains("\n## \(ProgramRelease.version) (\(ProgramRelease.date))\n"))
    }

    @Test("The versions of PostgreSQL are Debian's and those of the CI matrix")
    func thePostgresVersionsAreTested() throws {
        let ofDebian = try #require(try text("script/bootstrap").firstMatch(of: /postgresql-(\d+)/)).1
        let ofMatrix = try text("script/full.d/postgres-matrix").matches(of: /\[(\d+)\]='[a-z-]+==(\d+\.\d+)/)
        let versions = ([ofDebian] + ofMatrix.map(\.1)).compactMap { Int($0) }.sorted()
        #expect(versions == ProgramRelease.postgresVersions)
        let page = try text("docs/running.md")
        for match in ofMatrix { #expect(page.contains(match.2), "docs/running.md names no \(match.2)") }
    }

    @Test func theProtocolIsTheOneDescribed() throws {
        let (document, name) = (try text("docs/protocol.md"), ProgramRelease.protocolName)
        #expect(document.contains("`POST /\(name)/apps/"))
        #expect(document.hasPrefix("# Wire protocol, version \(name.dropFirst())\n"))
    }
}
