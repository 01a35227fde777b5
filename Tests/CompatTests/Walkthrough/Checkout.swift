import Foundation
import PGStore
import SyncTestSupport
import WireFormats

/// A copy of the repository to work in, gone with it. Its programs are waited for on a thread of its own.
actor Checkout {
    private let queue = BlockingQueue(label: "checkout")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let root: URL

    /// All that a build and the commands of a walkthrough need.
    private static let parts = ["Package.swift", "Sources", "Tests", "Migrations", "docs"]

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "walkthrough-\(ID.random())")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for part in Checkout.parts {
            try FileManager.default.copyItem(
                at: URL(filePath: Repository.root).appending(path: part), to: root.appending(path: part))
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: root)
    }

    /// Takes one step.
    ///
    /// - Returns: how it ended, and what it printed.
    func take(_ action: Walkthrough.Action) throws -> (status: Int32, output: String) {
        switch action {
        case .run(let script, _): return try run(["bash", "-e", "-u", "-c", script])
        case .apply(let diff):
            try Data(diff.utf8).write(to: root.appending(path: "step.diff"))
            return try run(["git", "apply", "step.diff"])
        case .write(let text, let path):
            try Data(text.utf8).write(to: root.appending(path: path))
            return (0, "")
        }
    }

    private func run(_ command: [String]) throws -> (status: Int32, output: String) {
        // Not a pipe: a build prints more than one holds.
        let output = root.appending(path: "step.output")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = root
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("SYNC_") && $0.key != "DATABASE_URL"
        }
        process.standardInput = FileHandle.nullDevice
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        return (process.terminationStatus, try String(contentsOf: output, encoding: .utf8))
    }
}
