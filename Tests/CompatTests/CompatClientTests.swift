import DemoApps
import Foundation
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Testing

/// `compat --client`: builds of an app, run as devices. The build here is the client in Python.
@Suite(.enabled(if: Python.path != nil, "There is no python3 of 3.11 or later here"))
struct CompatClientTests {
    private static let driver = "\(Python.path ?? "") -B \(Repository.root)/Tests/PythonClient/driver.py"

    private func run(_ app: String, _ words: [String]) async throws -> CommandRun {
        try await CommandRun(["compat", "--app", app] + words)
    }

    @Test(arguments: [
        ("fitiq", "0.0.3", "0.1.1"), ("fitiq", "0.1.1", "0.0.3"), ("fitiq", "0.0.8", "0.0.8"),
        ("allesteurer", "3.0.0", "1.0.0"), ("easitopen", "2.0.0", "0.0.1"), ("keeptrack", "2.0.0", "0.0.0"),
    ])
    func aClientThatIsRightIsCompatible(app: String, writer: String, reader: String) async throws {
        let clients = Set([writer, reader]).flatMap { ["--client", "\($0)=\(CompatClientTests.driver)"] }
        let run = try await run(app, clients + ["--writer", writer, "--reader", reader])
        #expect(run.status == 0 && run.output.contains("1 of 1 pairs are compatible"), "\(run.output)\(run.errors)")
    }

    /// Each fault is found, whatever the values are.
    @Test(arguments: [
        ("forget-outbox", "a sync while the server is away: its edit is lost"),
        ("skip-page", "other devices' records: one of them did not arrive"), ("turn-clock-back", "superseded"),
    ])
    func aClientThatIsWrongIsFound(fault: String, words: String) async throws {
        let run = try await run(
            "fitiq",
            [
                "--client", "0.0.8=\(CompatClientTests.driver) --fault \(fault)", "--writer", "0.0.8", "--reader",
                "0.1.1",
            ])
        let said = (run.output + run.errors).replacing(/\s+/, with: " ")
        #expect(run.status == 1 && said.contains(words), "\(said)")
    }

    @Test(arguments: [
        ("true", "has ended"), ("echo nonsense && cat", "no JSON object"),
        ("sed -u 's/.*/{\"ok\":false}/'", "ok: false"),
        ("sed -u 's/.*/{\"ok\":true,\"client\":\"x\"}/'", "a word that there is not"),
        ("/nowhere/to/be/found", "has ended"),
    ])
    func whatIsNoClientIsSaidToBeNone(command: String, words: String) async throws {
        let run = try await run("fitiq", ["--client", "0.0.8=\(command)", "--writer", "0.0.8", "--reader", "0.0.8"])
        #expect(run.status == 1 && run.errors.contains(words), "\(run.errors)")
    }

    /// The same check from a team's own tests.
    @Test func buildsAreCheckedBesideEveryVersion() async throws {
        let app = AppTests(EasitOpenPlan.self, migrations: Repository.migrationsDirectory)
        try await app.checkBuilds(["1.0.0": CompatClientTests.driver])
        await #expect(throws: AppTestFailure.self) {
            try await app.checkBuilds(["1.0.0": "\(CompatClientTests.driver) --fault forget-outbox"])
        }
        await #expect(throws: AppTestFailure.self) { try await app.checkBuilds(["9.0.0": "true"]) }
    }

    @Test func whatNamesNoVersionIsRefused() async throws {
        for words in [
            ["--client", "9.9.9=true"], ["--client", "true"], ["--fleet", "1:2", "--client", "0.0.8=true"],
        ] {
            let run = try await run("fitiq", words)
            #expect(run.status == 2 && run.errors.contains("‘--client’"), "\(run.errors)")
        }
    }
}
