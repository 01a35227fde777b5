import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver version`, as an operator uses it.
@Suite struct VersionCommandTests {
    private func run(_ words: [String], _ server: TestServer) async throws -> CommandRun {
        try await CommandRun(["version"] + words + ["--app", "fitiq"], database: server.database.connectionString)
    }

    private func see(_ version: String, outboxAge: Int?, _ server: TestServer) async throws {
        try await server.database.run(
            """
            INSERT INTO sync.census_device SELECT 'fitiq', gen_random_uuid(), '\(version)', now() - interval '2 days',
                now() - interval '1 day', \(outboxAge.map { "\($0)" } ?? "NULL")
            """)
    }

    /// Dates beyond 9999 have no form that other programs read, neither in the output nor in servers' headers.
    @Test func noVersionEndsBeyondTheYear9999() async throws {
        try await withTestServer { server in
            let refused = try await run(["retire", "0.0.4", "--force", "--at", "9999-12-31"], server)
            #expect(refused.status != 0 && refused.errors.contains("beyond the year 9999"), "\(refused)")
            #expect(try await run(["status"], server).output.contains("supported"))
        }
    }

    @Test func aVersionThatDevicesUseIsRetiredByForceOnly() async throws {
        try await withTestServer { server in
            try await see("0.0.4", outboxAge: 7_200, server)
            try await see("0.0.4", outboxAge: 0, server)
            let refused = try await run(["retire", "0.0.4"], server)
            #expect(refused.status == 1 && refused.errors.contains("2 devices use 0.0.4"), "\(refused)")
            #expect(refused.errors.contains("2h old") && refused.errors.contains("--force"), "\(refused)")
            #expect(try await run(["status"], server).output.contains("supported"))
            let forced = try await run(["retire", "0.0.4", "--force", "--outbox-until", "30d"], server)
            #expect(forced.status == 0, "\(forced)")
            let log = try await run(["log"], server)
            #expect(log.output.contains("forced") && log.output.contains("2 devices use"), "\(log)")
            try await server.service.reviewVersions()
            #expect(try await server.send("GET", changing: ["Schema-Version": "0.0.4"]).status == 426)
            #expect(try await run(["restore", "0.0.4"], server).status == 0)
            try await server.service.reviewVersions()
            #expect(try await server.send("GET", changing: ["Schema-Version": "0.0.4"]).status == 200)
        }
    }

    @Test func aVersionThatNobodyUsesIsRetired() async throws {
        try await withTestServer { server in
            let deprecated = try await run(
                ["deprecate", "0.0.3", "--sunset", "90d", "--link", "https://example.org/update"], server)
            #expect(deprecated.status == 0 && deprecated.output.contains("deprecated"), "\(deprecated)")
            let retired = try await run(["retire", "0.0.3", "--json"], server)
            #expect(retired.status == 0, "\(retired)")
            let said = try JSONValue(parsing: Array(retired.output.utf8))
            #expect(said["state"] == "retired" && said["link"] == "https://example.org/update")
            let status = try JSONValue(parsing: Array(try await run(["status", "--json"], server).output.utf8))
            let version = status["versions"].elements.first { $0["version"] == "0.0.3" }
            #expect(version?["state"] == "retired" && version?["devices"] == 0)
            let text = try await run(["status"], server).output
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
        }
    }

    @Test(arguments: [
        (["retire", "0.1.1"], "newest version"), (["retire", "9.9.9"], "There is no version"),
        (["retire", "0.0.3", "--at", "20d", "--outbox-until", "10d"], "before the version ends"),
        (["deprecate", "0.0.3", "--sunset", "2020-01-31"], "is over"),
        (["deprecate", "0.0.3", "--link", "javascript:alert(1)"], "--link"),
        (["deprecate", "0.0.3", "--link", "https://example.org/a\r\nb"], "--link"),
    ])
    func whatCannotBeIsSaid(words: [String], text: String) async throws {
        try await withTestServer { server in
            let run = try await run(words, server)
            #expect(run.status == 2 && run.errors.contains(text), "\(run)")
        }
    }
}
