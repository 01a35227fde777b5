import Foundation
import SyncTestSupport
import Testing

/// The shell blocks of docs/running.md, docs/hacking.md, docs/migrations.md and docs/simulator.md, run as written. The
/// test first creates the situation of a reader who needs them: a space with records, a held change, a migration that
/// cannot finish.
@Suite(.timeLimit(.minutes(20))) struct PageBlockTests {
    private func blocks(of page: String) throws -> [String] {
        let document = try String(contentsOfFile: "\(Repository.root)/\(page)", encoding: .utf8)
        return try Walkthrough(document).steps.map { step in
            guard case .run(let script, 0) = step.action else { throw CancellationError() }
            return script.replacing(".build/release/syncserver", with: "syncserver")
        }
    }

    /// Runs a script in a shell that has the program on its path.
    private func run(_ script: String, in workplace: Workplace, migrations: String) async throws -> String {
        let program = try ServerProcess.executable()
        let head = """
            export SYNC_MIGRATIONS='\(migrations)'
            syncserver() { '\(program)' "$@"; }
            command -v man >/dev/null || man() { cat; }

            """
        let (status, output) = try await workplace.take(.run(head + script, status: 0))
        try #require(status == 0, "\(output)")
        return output
    }

    @Test func whatRunningNeedsDoesWhatItSays() async throws {
        let workplace = try Workplace()
        let migrations = Repository.migrationsDirectory
        let program = try ServerProcess.executable()
        let start = try await workplace.take(
            .serve("env SYNC_MIGRATIONS='\(migrations)' \(program) serve --demo", until: "Listening on"))
        try #require(start.status == 0, "\(start.output)")
        let blocks = try blocks(of: "docs/running.md")
        // NewcomerTests runs this block.
        #expect(blocks.first?.contains("CREATE ROLE sync_owner") == true)
        let space = "28db6081-7a48-4ade-b851-25966840b0b0"
        #expect(blocks.contains { $0.contains(space) && $0.contains("export") })
        let prepare = """
            owner() { psql -q -h "$PWD/.syncserver/postgres/socket" -U syncserver_owner syncserver "$@"; }
            owner -c "ALTER TABLE fitiq.sd_meal ADD CONSTRAINT fixed CHECK (notes <> 'refused')"
            owner -c 'ALTER TABLE sync.quarantine ALTER COLUMN id RESTART WITH 17'
            token=$(syncserver token create --app fitiq --subject ada --role write --space \(space) | grep -o 'sync_.*')
            . .syncserver/demo.env
            curl -fsS -H "Authorization: Bearer $token" -H 'Schema-Version: 0.0.6' --json '{"changes":[
              {"entity":"SDMeal","id":"0b0f7f0e-1f3c-4a8e-9f54-2f9d6f0c1a11","op":"create",
               "fields":{"mealType":"lunch","notes":"soup"}},
              {"entity":"SDMeal","id":"0b0f7f0e-1f3c-4a8e-9f54-2f9d6f0c1a12","op":"create",
               "fields":{"mealType":"lunch","notes":"refused"}}
            ]}' "$SYNC_URL/v1/apps/fitiq/spaces/\(space)/changes"
            owner -c 'ALTER TABLE fitiq.sd_meal DROP CONSTRAINT fixed'
            mkdir backups
            cp '\(Repository.root)/Tests/SyncCommandsTests/Fixtures/AllesTeurer/backup-1.0.json' backups/

            """
        let output = try await run(
            prepare + blocks.dropFirst().joined(), in: workplace, migrations: migrations)
        for text in [
            "ada.ndjson: 0 imported, 1 unchanged", "5 would be imported", ": new; devices notice",
            "fitiq: would collect at most", "database-refused", "1 would be merged, 0 would stay", "1 merged, 0 stay",
            "Usage: syncserver migrate plan", "protocol v1", "SEE ALSO",
        ] { #expect(output.contains(text), "‘\(text)’ is not in\n\(output)") }

        // A look into the database while a server runs.
        let looking = try self.blocks(of: "docs/hacking.md").joined()
        #expect(looking.contains("psql "))
        _ = try await run(looking, in: workplace, migrations: migrations)
        await workplace.stopServing()
    }

    @Test func whatMigrationsNeedDoesWhatItSays() async throws {
        let workplace = try Workplace()
        let folder = workplace.root.appending(path: "Migrations")
        try FileManager.default.copyItem(at: URL(filePath: Repository.migrationsDirectory), to: folder)
        let blocks = try blocks(of: "docs/migrations.md")
        try #require(blocks.count == 3 && blocks[1].contains("resolve fitiq/13 "))
        let atNight = try await run(blocks[0], in: workplace, migrations: folder.path)
        #expect(atNight.contains("Applied fitiq/0011") && atNight.contains("No backfill is pending"), "\(atNight)")

        try Data("CREATE INDEX mood_by_day ON fitiq.no_such_table (day);\n".utf8)
            .write(to: folder.appending(path: "fitiq/0013-add-mood-index.sql"))
        let failing = "syncserver migrate up && exit 9; syncserver migrate status || true\n"
        let byHand = try await run(
            failing + blocks[1] + "syncserver migrate status\n" + blocks[2], in: workplace, migrations: folder.path)
        for text in ["failed-clean      fitiq/0013", "fitiq/0013-add-mood-index.sql counts as applied", "  0.0.1  "] {
            #expect(byHand.contains(text), "‘\(text)’ is not in\n\(byHand)")
        }
    }

    @Test func theSimulatorRunsAsItsPageSays() async throws {
        let workplace = try Workplace()
        let blocks = try blocks(of: "docs/simulator.md")
        let lines = try #require(blocks.first).split(separator: "\n")
        try #require(blocks.count == 1 && lines.count == 4)
        // A million steps take a night.
        #expect(lines[3].hasPrefix("script/full.d/soak "))
        // A failed run: the server was started with a planted bug.
        let failing =
            "if SYNCSERVER_PLANT=lost-stamp \(lines[1].split(separator: "#")[0]) --tries 0; then exit 9; fi\n"
        let typed = lines[..<3].joined(separator: "\n").replacing(
            " 3:4,0.0.8:3,11:3 ", with: " 3:4,0.0.8:3,11:3 --steps 300 ")
        try #require(typed.contains("--steps 300"))
        let output = try await run(
            failing + typed + "\n", in: workplace, migrations: Repository.migrationsDirectory)
        #expect(output.contains("again: syncserver compat --app fitiq --steps-file simulation-7.json"), "\(output)")
        #expect(output.split(separator: "\n").count { $0 == "All promises held." } == 3, "\(output)")
    }
}
