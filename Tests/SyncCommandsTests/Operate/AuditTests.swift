import Foundation
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver audit`: what operators did, by which login; no secret and no subject.
@Suite struct AuditTests {
    private func run(_ words: [String], _ server: TestServer) async throws -> CommandRun {
        let run = try await CommandRun(words, database: server.database.connectionString)
        try #require(run.status == 0, "\(words): \(run.errors)")
        return run
    }

    private func events(_ server: TestServer, _ words: [String] = []) async throws -> [JSONValue] {
        let run = try await run(["audit", "--json"] + words, server)
        return try JSONValue(parsing: Array(run.output.utf8))["events"].elements
    }

    @Test func whatAnOperatorDoesIsWrittenDown() async throws {
        try await withTestServer { server in
            let canary = "canary-subject"
            let space = try await Person(canary, server).makeSpace()
            let before = try await events(server).count
            let token = try await run(
                ["token", "create", "--app", "fitiq", "--subject", canary, "--role", "read", "--json"], server)
            let made = try JSONValue(parsing: Array(token.output.utf8))
            let id = try #require(made["id"].string)
            let there = ["--app", "fitiq", "--space", "\(space)"]
            _ = try await run(["token", "rotate", id], server)
            _ = try await run(["token", "revoke", id], server)
            _ = try await run(["member", "set", "--subject", "\(canary)-2", "--role", "editor"] + there, server)
            _ = try await run(["member", "remove", "--subject", "\(canary)-2"] + there, server)
            _ = try await run(["quota", "set", "--records", "7"] + there, server)
            _ = try await run(["epoch", "--renew", "--yes"], server)
            _ = try await run(["version", "deprecate", "0.0.3", "--app", "fitiq"], server)
            _ = try await run(["erase", "--yes"] + there, server)
            // Looking changes nothing.
            _ = try await run(["token", "list"], server)
            _ = try await run(["quota", "show", "--app", "fitiq", "--space", "\(server.space)"], server, failing: true)
            let events = try await Array(events(server).dropLast(before).reversed())
            #expect(
                events.map { $0["action"].string } == [
                    "token create", "token rotate", "token revoke", "member set", "member remove", "quota set",
                    "epoch renew", "version deprecate", "erase",
                ])
            #expect(events.allSatisfy { $0["by"].string == EmbeddedCluster.ownerRole || $0["by"].string != nil })
            #expect(events[0]["detail"].string?.contains(id) == true, "\(events[0])")
            #expect(events[5]["detail"].string == "space \(space): records 7")
            let text = try await run(["audit"], server).output
            #expect(!text.contains(canary) && !text.contains("sync_"), "\(text)")
            #expect(try await self.events(server, ["--since", "1h", "--most", "2"]).count == 2)
            #expect(
                try await self.events(server, ["--app", "keeptrack"]).map { $0["action"].string } == ["epoch renew"])
        }
    }

    private func run(_ words: [String], _ server: TestServer, failing: Bool) async throws -> CommandRun {
        try await CommandRun(words, database: server.database.connectionString)
    }

    /// A refused command changes nothing, so the audit log has no entry of it.
    @Test func whatIsRefusedIsNotInIt() async throws {
        try await withTestServer { server in
            let before = try await events(server).count
            for words in [
                ["token", "revoke", "0000000000000000"], ["epoch", "--renew"],
                ["member", "remove", "--subject", "nobody", "--app", "fitiq", "--space", "\(server.space)"],
                ["quota", "set", "--records", "1", "--app", "fitiq", "--space", "\(ID.random())"],
            ] {
                #expect(try await run(words, server, failing: true).status != 0, "\(words)")
            }
            #expect(try await events(server).count == before)
        }
    }

    /// A script that makes a token for each person fills no disk, and the server can neither read nor write it.
    @Test func itIsBoundedAndTheOwners() async throws {
        try await withTestServer { server in
            let session = try await Session.open(server.database.connectionString)
            try await session.execute(
                Command(
                    """
                    INSERT INTO sync.operator_event (action, detail)
                    SELECT 'filled', '' FROM generate_series(1, $1::bigint)
                    """, [.int(Int64(OperatorEvents.keptMax + 5))]))
            for _ in 1...2 {
                try await session.execute(OperatorEvents.noting("one more", app: nil, detail: ""))
            }
            let kept = try await session.execute("SELECT count(*) FROM sync.operator_event").int(0, 0)
            await session.close()
            #expect(kept == Int64(OperatorEvents.keptMax))
            let serving = try await Session.open(server.database.servingConnectionString)
            await #expect(throws: PGError.self) { try await serving.execute("SELECT FROM sync.operator_event") }
            await #expect(throws: PGError.self) {
                try await serving.execute(OperatorEvents.noting("forged", app: nil, detail: ""))
            }
            await serving.close()
        }
    }
}
