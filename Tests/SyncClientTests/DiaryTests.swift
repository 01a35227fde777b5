import DemoApps
import Foundation
import Glibc
import Postgres
import SyncTestSupport
import Testing
import WireFormats

/// `Examples/Diary` in two terminals, as the README shows it: live, offline, and live again.
@Suite struct DiaryTests {
    @Test func twoVersionsAreLiveBesideEachOther() async throws {
        let folder = try TemporaryDirectory()
        try await withTestServer(FitIQPlan.self) { server in
            try await server.service.keepingEvents { try await Self.use(server, folder) }
        }
    }

    private static func use(_ server: TestServer, _ folder: TemporaryDirectory) async throws {
        let older = try Terminal("0.0.3", server, folder)
        defer { older.end() }
        let newer = try Terminal("0.1.1", server, folder)
        defer { newer.end() }
        for terminal in [older, newer] { try await terminal.shows("Diary as \(terminal.version): in step") }

        try older.type("+ Slept well")
        for terminal in [older, newer] { try await terminal.shows("1  Slept well") }
        try newer.type("1 Slept very well")
        try await older.shows("1  Slept very well")

        try older.type("o")
        try await older.shows("offline, as you wish")
        try older.type("1 Slept badly")
        try await older.shows("1  Slept badly  (not sent yet)")
        try newer.type("+ Ran")
        try await newer.shows("2  Ran")
        #expect(try older.screen().contains("Ran") == false)
        try older.type("o")
        for terminal in [older, newer] {
            try await terminal.shows("1  Slept badly\n2  Ran")
        }

        try newer.type("- 2")
        try await older.shows("1  Slept badly\n>")
        // Unknown commands are reported, and the diary continues.
        try newer.type("hello")
        try await newer.shows("+ TEXT writes")
    }
}

/// A diary in a terminal of tmux, which renders its screen.
private struct Terminal {
    let version: String
    private let name = "diary-\(ID.random())"
    private let folder: String

    init(_ version: String, _ server: TestServer, _ folder: TemporaryDirectory) throws {
        self.version = version
        self.folder = folder.path
        let diary = try ServerProcess.executable("Diary")
        try tmux(
            "new-session", "-d", "-x", "100", "-y", "24",
            "SYNC_URL=http://127.0.0.1:\(server.port) SYNC_SPACE=\(server.space) SYNC_TOKEN=\(server.token) "
                + "exec '\(diary)' --as \(version) --store '\(folder.path)/\(version).sqlite'")
    }

    /// Types a line.
    func type(_ line: String) throws {
        try tmux("send-keys", "-l", "--", line)
        try tmux("send-keys", "Enter")
    }

    func screen() throws -> String { try tmux("capture-pane", "-p") }

    func shows(_ text: String) async throws {
        do {
            try await eventually("\(version) shows ‘\(text)’") { try screen().contains(text) }
        } catch {
            Issue.record("\(version) shows \((try? screen()) ?? "nothing")")
            throw error
        }
    }

    func end() { _ = try? tmux("kill-server") }

    /// tmux's server continues after the command, so its output goes to a file that is not read to its end.
    @discardableResult
    private func tmux(_ words: String...) throws -> String {
        let log = "\(folder)/\(name)-\(ID.random())"
        let program = Program(
            path: "/usr/bin/tmux", arguments: ["-L", name, "-f", "/dev/null"] + words, account: .current,
            environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TERM=xterm"])
        let child = try program.start(log: log)
        var status: Int32 = 0
        waitpid(child, &status, 0)
        let output = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        try #require(status == 0, "tmux \(words): \(output)")
        return output
    }
}
