import Foundation
import Glibc
import Postgres
import SyncTestSupport
import WireFormats

/// A folder for a document's steps, deleted with the object. A thread of its own waits for its programs.
actor Workplace {
    private let queue = BlockingQueue(label: "workplace")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    nonisolated let root: URL
    /// The process ID of the program that keeps running.
    private var server: Int32?

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "walkthrough-\(ID.random())")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    /// Returns a copy of all files that a build of the repository and the commands of a walkthrough need.
    static func checkout() throws -> Workplace {
        let workplace = try Workplace()
        for part in ["Package.swift", "Sources", "Tests", "Examples", "Migrations", "docs"] {
            try FileManager.default.copyItem(
                at: URL(filePath: Repository.root).appending(path: part), to: workplace.root.appending(path: part))
        }
        return workplace
    }

    deinit {
        // A failed step has left it.
        if let child = server {
            kill(child, SIGINT)
            waitpid(child, nil, 0)
        }
        try? FileManager.default.removeItem(at: root)
    }

    /// Performs one step.
    ///
    /// - Parameter folder: the working folder, relative to `root`.
    /// - Returns: the exit status and the output.
    func take(
        _ action: Walkthrough.Action, in folder: String = "."
    ) async throws -> (status: Int32, output: String) {
        let folder = root.appending(path: folder).standardizedFileURL
        switch action {
        case .run(let script, _): return try run(["bash", "-e", "-u", "-c", script], in: folder)
        case .serve(let script, let word): return try await serve(script, until: word, in: folder)
        case .apply(let diff):
            try Data(diff.utf8).write(to: folder.appending(path: "step.diff"))
            return try run(["git", "apply", "step.diff"], in: folder)
        case .write(let text, let path):
            try Data(text.utf8).write(to: folder.appending(path: path))
            return (0, "")
        }
    }

    private var environment: [String: String] {
        var variables = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("SYNC_") && $0.key != "DATABASE_URL"
        }
        // A free port instead of the document's default port.
        variables["PORT"] = "0"
        return variables
    }

    private func run(_ command: [String], in folder: URL) throws -> (status: Int32, output: String) {
        // Not a pipe: a build prints more than a pipe's buffer holds.
        let output = root.appending(path: "step.output")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
    }

    /// Starts a program that runs until `stopServing`, and waits until it prints a word; the status is then 0.
    /// Foundation's `Process` is not used, because while one process runs, it may not notice that others have ended.
    private func serve(
        _ script: String, until word: String, in folder: URL
    ) async throws -> (status: Int32, output: String) {
        let log = root.appending(path: "serving.output")
        try Data().write(to: log)
        let program = Program(
            path: "/bin/bash", arguments: ["-e", "-u", "-c", "cd '\(folder.path)' && exec \(script)"],
            account: .current, environment: environment.map { "\($0)=\($1)" })
        let child = try program.start(log: log.path)
        var (status, output): (Int32, String) = (0, "")
        // A build may run first, beside other tests.
        try await eventually("‘\(script)’ says ‘\(word)’, or ends", within: .seconds(300)) {
            let hasEnded = waitpid(child, &status, WNOHANG) != 0
            output = try String(contentsOf: log, encoding: .utf8)
            return hasEnded || output.contains(word)
        }
        guard output.contains(word) else { return (status >> 8, output) }
        server = child
        return (0, output)
    }

    /// Stops the program as Ctrl-C does, and waits for its end.
    func stopServing() {
        guard let child = server else { return }
        kill(child, SIGINT)
        waitpid(child, nil, 0)
        server = nil
    }
}
