import Foundation
import HTTPServer
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// The files of `deploy/kubernetes`: what Kubernetes takes, and what the program takes that they start.
@Suite struct KubernetesTests {
    private static let folder = "\(Repository.root)/deploy/kubernetes"

    private func text(_ name: String) throws -> String {
        String(decoding: try Files.contents(of: "\(KubernetesTests.folder)/\(name)"), as: UTF8.self)
    }

    /// With the oldest and the newest version that the tool knows of those that are in use.
    @Test(
        .enabled(if: PythonTools.areThere, "script/python-tools has not installed kubernetes-validate here"),
        arguments: ["1.30", "1.37"])
    func kubernetesTakesThem(version: String) async throws {
        let words = ["-k", version, "--strict"]
        let paths = ["migrate.yaml", "syncserver.yaml"].map { "\(KubernetesTests.folder)/\($0)" }
        let end = try await PythonTools().run("kubernetes-validate", words + paths)
        #expect(end.status == 0, "\(end.output)")
        #expect(end.output.matches(of: /passed for resource/).count == 6, "\(end.output)")
        // It can fail.
        let other = try TemporaryDirectory()
        try other.write(try text("syncserver.yaml").replacing("replicas: 2", with: "replica: 2").utf8, to: "other.yaml")
        let broken = try await PythonTools().run("kubernetes-validate", words + ["\(other.path)/other.yaml"])
        #expect(broken.status != 0, "\(broken.output)")
    }

    @Test(arguments: ["migrate.yaml", "syncserver.yaml"])
    func theProgramTakesItsArguments(file: String) async throws {
        let line = try #require(try text(file).firstMatch(of: /args: \[(.*)\]/)).output.1
        let words = line.split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " '")) }
        let options = words.filter { $0.hasPrefix("--") }
        let commands = words.prefix { !$0.hasPrefix("--") }
        let help = try await CommandRun(commands + ["--help"])
        #expect(help.status == 0, "\(help.errors)")
        for option in options { #expect(help.output.contains(option + " "), "\(option)") }
    }

    @Test func theProbesAskForWhatIsAnswered() async throws {
        let paths = Set(try text("syncserver.yaml").matches(of: /path: (\/\w+)/).map { String($0.output.1) })
        #expect(paths == ["/healthz", "/readyz"])
        try await withTestServer { (server) async throws in
            for path in paths { #expect(try await server.client().request("GET", path).status == 200) }
        }
    }
}
