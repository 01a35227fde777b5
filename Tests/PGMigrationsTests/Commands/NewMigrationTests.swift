import Foundation
import PGMigrations
import SyncTestSupport
import Testing

/// `syncserver migrate new`: creates the next file of a line as a template.
@Suite struct NewMigrationTests {
    private static let path = "fitiq/0013-shade-meals.sql"

    @Test func itWritesTheNextFileThatNoRunTakesForFinished() async throws {
        try await MigrationFolder.with { folder in
            let run = try await folder.migrate("new", "fitiq", "shade-meals", "--phase", "expand,verify,contract")
            #expect(run.status == 0 && run.output.contains(Self.path), "\(run.errors)")
            let text = try folder.read(Self.path)
            #expect(text.matches(of: /(?m)^-- phase: (\w+)$/).map { $0.1 } == ["expand", "verify", "contract"])
            let unfinished = try await folder.migrate("lint", "fitiq")
            #expect(unfinished.status == 1 && unfinished.errors.contains("the step has no statement"))
            let filled =
                text.replacing("-- phase: verify", with: "ALTER TABLE fitiq.sd_meal ADD shade text;\n-- phase: verify")
                .replacing("-- phase: contract", with: "SELECT 1 WHERE false;\n-- phase: contract")
                + "ALTER TABLE fitiq.sd_meal DROP shade;\n"
            try folder.write(filled, to: Self.path)
            #expect(try folder.lines().first { $0.name == "fitiq" }?.files.last?.steps.count == 3)
            let next = try await folder.migrate("new", "fitiq", "0014-tint-meals", "--json")
            #expect(next.status == 0 && next.output.contains("0014-tint-meals.sql"), "\(next.errors)")
            let single = try await folder.migrate("lint", "fitiq")
            #expect(single.status == 1 && single.errors.contains("0014-tint-meals.sql:3: the step has no statement"))
        }
    }

    @Test(arguments: [
        (["fitiq", "shade"], 1, "no name for a migration"), (["fitiq", "Shade-Meals"], 1, "no name for a migration"),
        (["fitiq", "0011-shade-meals"], 1, "fitiq/0011-add-meal-name.sql has that number"),
        (["fitiq", "0015-shade-meals"], 1, "leaves a gap"), (["fitiq", "create-meals"], 1, "has that name"),
        (["nobody", "shade-meals"], 1, "no line"), (["fitiq", "shade-meals", "--phase", "late"], 2, "no phase"),
        (["fitiq", "shade-meals", "--phase", "contract,expand"], 2, "in their order"), (["fitiq"], 2, "migrate new"),
    ])
    func whatCannotBeIsRefusedAndWritesNothing(words: [String], status: Int32, message: String) async throws {
        try await MigrationFolder.with { folder in
            let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            let run = try await CommandRun(
                ["migrate", "new"] + words, environment: ["SYNC_MIGRATIONS": folder.path])
            #expect(run.status == status && run.errors.contains(message), "\(run.errors)")
            #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
        }
    }
}
