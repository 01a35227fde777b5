import SyncTestSupport
import SyncTesting
import Testing

/// `serve --migrate`: what becomes of pending migrations at the start.
@Suite struct MigratingStartTests {
    @Test("M25: auto applies what is pending", arguments: [["--migrate", "auto"], ["--migrate=auto"]])
    func autoAppliesWhatIsPending(words: [String]) async throws {
        try await withTestDatabase { database in
            let server = ServerProcess()
            let port = try await server.start(database.connectionString, words)
            let reply = try await TestClient(port: port).request("GET", "/readyz")
            #expect(reply.status == 200, "\(reply)")
            await server.kill9()
        }
    }

    @Test("M25: check refuses what is pending", arguments: [["--migrate", "check"], ["--migrate=check"], []])
    func checkRefusesWhatIsPending(words: [String]) async throws {
        try await withTestDatabase { database in
            let run = try await CommandRun(["serve", "--port", "0"] + words, database: database.connectionString)
            #expect(run.status == 1 && run.errors.contains("sync/0001"), "\(run.errors)")
            #expect(run.errors.contains("syncserver migrate up"), "\(run.errors)")
        }
    }

    @Test(arguments: [["--migrate", "always"], ["--migrate=true"], ["--migrate"], ["--migrate", "--no-gc"]])
    func anotherWordIsRefused(words: [String]) async throws {
        let run = try await CommandRun(["serve"] + words)
        #expect(run.status == 2 && run.errors.contains("‘--migrate’ takes auto or check"), "\(run.errors)")
    }
}
