import DemoApps
import Glibc
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// The server against what it says of itself: an OpenAPI validator reads `/openapi.json`, and schemathesis makes
/// requests from it, good ones and bad ones, alone and one after the other, and compares the answers.
///
/// `SCHEMATHESIS_EXAMPLES=1000 SCHEMATHESIS_SEED=5 swift test --filter SchemathesisTests` looks longer, and elsewhere.
@Suite(.enabled(if: PythonTools.areThere, "script/python-tools has not installed schemathesis here"))
struct SchemathesisTests {
    private static let examples = environment("SCHEMATHESIS_EXAMPLES") ?? "15"
    /// Not another one each time: a request that nobody has tried yet is for the weekly run to find.
    private static let seed = environment("SCHEMATHESIS_SEED") ?? "7"

    private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    @Test func theDocumentIsValid() async throws {
        try await withTestServer { server in
            let document = try await server.client().request("GET", "/openapi.json")
            let folder = try TemporaryDirectory()
            try folder.write(document.body, to: "whole.json")
            let whole = try await PythonTools().run("openapi-spec-validator", ["\(folder.path)/whole.json"])
            #expect(whole.status == 0, "\(whole.output)")
            // It can fail.
            try folder.write(document.text.replacing("\"operationId\"", with: "\"operation\"").utf8, to: "other.json")
            let other = try await PythonTools().run("openapi-spec-validator", ["\(folder.path)/other.json"])
            #expect(other.status != 0, "\(other.output)")
        }
    }

    @Test func answersAreAsTheDocumentSays() async throws {
        try await withTestServer(KeepTrackPlan.self) { server in
            let end = try await schemathesis(server, "http://127.0.0.1:\(server.port)/openapi.json")
            #expect(end.status == 0, "\(end.output)")
            let cases = end.output.matches(of: /(\d+) generated/).compactMap { Int($0.1) }.first ?? 0
            print("schemathesis: seed \(SchemathesisTests.seed), \(cases) requests")
            #expect(cases > 100, "\(end.output)")
        }
    }

    @Test func aServerThatAnswersOtherwiseIsFound() async throws {
        try await withTestServer { server in
            let document = try await server.client().request("GET", "/openapi.json").text
            let folder = try TemporaryDirectory()
            let other = document.replacing("{\"const\": \"ok\"}", with: "{\"const\": \"fine\"}")
            #expect(other != document)
            try folder.write(other.utf8, to: "other.json")
            let end = try await schemathesis(
                server, "\(folder.path)/other.json",
                ["--url", "http://127.0.0.1:\(server.port)", "--include-operation-id", "health"])
            #expect(end.status == 1 && end.output.contains("Response violates schema"), "\(end.output)")
        }
    }

    private func schemathesis(
        _ server: TestServer, _ document: String, _ more: [String] = []
    ) async throws -> (status: Int32, output: String) {
        let folder = "\(Repository.root)/Tests/PythonTools"
        return try await PythonTools().run(
            "schemathesis",
            [
                "--config-file", "\(folder)/schemathesis.toml", "run", document, "--seed", SchemathesisTests.seed,
                "--max-examples", SchemathesisTests.examples, "--workers", "1",
            ] + more,
            environment: [
                "HOOKS": "\(folder)/schemathesis_hooks.py", "TOKEN": server.token, "SPACE": "\(server.space)",
            ])
    }
}
