import DemoApps
import Foundation
import Postgres
import SyncTestSupport
import Testing
import WireFormats

/// A client that knows nothing but `docs/protocol.md`, in another language: devices of three versions check each other.
@Suite(.enabled(if: Python.path != nil, "There is no python3 of 3.11 or later here"))
struct PythonClientTests {
    private static let apps: [(any SchemaMigrationPlan.Type, String)] = [
        (FitIQPlan.self, "0.0.3,0.0.8,0.1.1"), (KeepTrackPlan.self, "0.0.0,1.0.0,2.0.0"),
    ]

    @Test("A client written from the protocol document alone agrees with the server", arguments: apps.indices)
    func aClientWrittenFromTheDocumentAgreesWithTheServer(app: Int) async throws {
        let (plan, versions) = Self.apps[app]
        try await withTestServer(plan) { server in
            let end = try await PythonClient().run(server, versions: versions)
            #expect(end.status == 0, "\(end.output)")
            #expect(end.output.contains("update_app"), "\(end.output)")
        }
    }

    @Test("A client with text ids, written from the protocol document alone, agrees with the server")
    func idsThatAreTextsComeBackToTheLetter() async throws {
        try await withBookshop { server in
            let end = try await PythonClient().run(server, versions: "2.0.0,3.0.0", hasModels: false)
            #expect(end.status == 0, "\(end.output)")
        }
    }

    @Test(
        "A client that is wrong in one way is found out",
        arguments: [
            ("skip-page", "a device of"), ("turn-clock-back", "not the later edit"),
            ("forget-outbox", "left the outbox"),
        ])
    func aClientThatIsWrongIsFoundOut(fault: String, sentence: String) async throws {
        try await withTestServer(KeepTrackPlan.self) { server in
            let end = try await PythonClient().run(server, versions: "0.0.0,1.0.0,2.0.0", fault: fault)
            #expect(end.status == 1, "\(end.output)")
            #expect(end.output.contains(sentence), "\(end.output)")
        }
    }
}

/// Runs `Tests/PythonClient`, and waits on a thread of its own.
actor PythonClient {
    private let queue = BlockingQueue(label: "python")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func run(
        _ server: TestServer, versions: String, fault: String? = nil, hasModels: Bool = true
    ) throws -> (status: Int32, output: String) {
        let app = server.plan.app
        let process = Process()
        process.executableURL = Python.path.map { URL(filePath: $0) }
        process.arguments =
            [
                "-B", "\(Repository.root)/Tests/PythonClient/scenarios.py", "--url", "http://127.0.0.1:\(server.port)",
                "--space", "\(server.space)", "--token", server.token, "--app", app, "--versions", versions,
            ] + (hasModels ? ["--models", "\(Repository.root)/Tests/CompatTests/fixtures/\(app)"] : [])
            + (fault.map { ["--fault", $0] } ?? [])
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
