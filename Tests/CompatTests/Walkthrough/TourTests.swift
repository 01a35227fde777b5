import Foundation
import SyncTestSupport
import Testing

/// The steps of `docs/tour.md`, run in one shell beside a running server; twice, as people do.
@Suite struct TourTests {
    /// Returns the blocks as one script that prints a mark before each, for a folder outside the repository.
    private func script(_ steps: [Walkthrough.Step]) throws -> String {
        let program = try ServerProcess.executable()
        var script = "set -u\n"
        for step in steps {
            guard case .run(let text, _) = step.action else { throw CancellationError() }
            script += "echo '@@@ \(step.line)'\n\(text)"
        }
        for (written, here) in [
            (".build/release/syncserver", program), ("script/python-tools\n", ""),
            (".build/python-tools/", "\(Repository.root)/.build/python-tools/"),
            ("Tests/PythonTools/", "\(Repository.root)/Tests/PythonTools/"),
            ("port=8081", "port=$(python3 -c '\(anyPort)')"),
        ] {
            #expect(script.contains(written), "The tour no longer says ‘\(written)’.")
            script = script.replacing(written, with: here)
        }
        return script
    }

    private let anyPort = #"import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])"#

    /// Returns the output of each block.
    private func parts(_ output: String) -> [Int: [Substring]] {
        var parts: [Int: [Substring]] = [:]
        var block = 0
        for line in output.split(separator: "\n") {
            if line.hasPrefix("@@@ ") {
                block = Int(line.dropFirst(4)) ?? 0
            } else {
                parts[block, default: []].append(line)
            }
        }
        return parts
    }

    @Test(.enabled(if: PythonTools.areThere)) func theTourCanBeTypedTwice() async throws {
        let document = try String(contentsOfFile: Repository.root + "/docs/tour.md", encoding: .utf8)
        let steps = Walkthrough(document).steps
        let workplace = try Workplace()
        let program = try ServerProcess.executable()
        let variables = "SYNC_MIGRATIONS='\(Repository.migrationsDirectory)'"
        let start = try await workplace.take(
            .serve("env \(variables) \(program) serve --demo --no-rate-limits", until: "Listening on"))
        try #require(start.status == 0, "\(start.output)")
        for round in 1...2 {
            let text = "export \(variables)\n" + (try script(steps))
            let run = try await workplace.take(.run(text, status: 0))
            #expect(run.status == 0, "\(run.output)")
            let printed = parts(run.output)
            for step in steps {
                for beginning in step.output where !(round == 2 && beginning == "{\"changes\":[],") {
                    #expect(
                        printed[step.line]?.contains { $0.hasPrefix(beginning) } == true,
                        "round \(round), line \(step.line): ‘\(beginning)’ is not in\n\(printed[step.line] ?? [])")
                }
            }
        }
        await workplace.stopServing()
        // No process and no file is left.
        let left = try FileManager.default.contentsOfDirectory(atPath: workplace.root.path).sorted()
        #expect(left == [".syncserver", "serving.output", "step.output"], "\(left)")
    }
}
