import Foundation
import SyncTestSupport
import Testing

/// The steps of `docs/your-own-app.md`, from an app's sources to its second release, run as written. They create a
/// package outside this repository.
@Suite struct OwnAppTests {
    private func steps() throws -> [Walkthrough.Step] {
        let document = try String(contentsOfFile: Repository.root + "/docs/your-own-app.md", encoding: .utf8)
        return Walkthrough(document).steps
    }

    @Test func anAppIsServedTestedAndMigratedAsTheDocumentSays() async throws {
        let workplace = try Workplace()
        // A copy of this repository, because the test must not write beside the original.
        let library = workplace.root.appending(path: "library")
        try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: library.appending(path: "docs"), withDestinationURL: URL(filePath: Repository.root + "/docs"))
        let program = try ServerProcess.executable()
        var section = 0
        for (number, step) in try steps().enumerated() {
            if step.section != section { await workplace.stopServing() }
            section = step.section
            if number == 0 {
                guard case .run(let script, let status) = step.action else { throw CancellationError() }
                let action = Walkthrough.Action.run(
                    script.replacing(".build/debug/syncserver", with: program), status: status)
                try await step.prove(in: workplace, "library", doing: action)
            } else {
                try await step.prove(in: workplace, "pantry")
            }
        }
        await workplace.stopServing()

        // The server's program contains no demo app, and nothing that only tests use.
        let symbols = try await workplace.take(
            .run("nm $(swift build --show-bin-path)/pantry", status: 0), in: "pantry")
        #expect(symbols.output.contains("s6Pantry"))
        for unwanted in ["FitIQ", "KeepTrack", "AllesTeurer", "EasitOpen", "SyncSimulator"] {
            #expect(!symbols.output.contains(unwanted), "\(unwanted)")
        }
        // The simulator's devices, too, which the package's second program contains.
        let fleet = try await workplace.take(
            .run("swift run pantry compat --fleet 1:1,3:1,4:1 --steps 300", status: 0), in: "pantry")
        #expect(fleet.status == 0, "\(fleet.output)")
        #expect(try await workplace.take(.run("swift run pantry migrate lint", status: 0), in: "pantry").status == 0)
    }

    @Test func theDocumentGoesAllTheWay() throws {
        let steps = try steps()
        let scripts = steps.compactMap { step -> String? in
            switch step.action {
            case .run(let script, _), .serve(let script, _): script
            case .apply, .write: nil
            }
        }
        let commands = [
            "init Pantry --from", "swift test", "compat", "serve --demo", "schema freeze", "schema check --sources",
            "migrate up", "token create", "schema import",
        ]
        for command in commands { #expect(scripts.contains { $0.contains(command) }, "\(command)") }
        for version in ["1.0.0", "3.0.0"] {
            #expect(scripts.contains { $0.contains("-H \"Schema-Version: \(version)\"") })
        }
    }
}
