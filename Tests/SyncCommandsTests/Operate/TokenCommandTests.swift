import Postgres
import SyncCommands
import SyncEngine
import SyncServer
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver token …`, as an operator uses it, beside a server that is asked with the tokens.
@Suite struct TokenCommandTests {
    private func run(_ words: [String], _ server: TestServer) async throws -> CommandRun {
        try await CommandRun(["token"] + words, database: server.database.connectionString)
    }

    private func json(_ words: [String], _ server: TestServer) async throws -> JSONValue {
        let run = try await run(words + ["--json"], server)
        #expect(run.status == 0, "\(run.errors)")
        return try JSONValue(parsing: Array(run.output.utf8))
    }

    private func create(_ server: TestServer, _ words: [String] = []) async throws -> (secret: String, id: String) {
        let made = try await json(
            ["create", "--app", "fitiq", "--subject", "ada", "--role", "write", "--space", "\(server.space)"] + words,
            server)
        return (try #require(made["token"].string), try #require(made["id"].string))
    }

    private func status(_ secret: String, _ server: TestServer) async throws -> Int {
        try await server.send("GET", changing: ["Authorization": "Bearer \(secret)"]).status
    }

    private func listed(_ server: TestServer, _ words: [String] = []) async throws -> [JSONValue] {
        guard case .array(let tokens) = try await json(["list", "--subject", "ada"] + words, server)["tokens"] else {
            return []
        }
        return tokens
    }

    @Test func whatIsMadeIsListedWithoutItsSecret() async throws {
        try await withTestServer { server in
            let (secret, id) = try await create(server, ["--expires", "90d"])
            let all = try await run(["list", "--all"], server)
            #expect(all.output.contains(id) && !all.output.contains(secret), "\(all.output)")
            let token = try #require(try await listed(server).first)
            #expect(token["id"].string == id && token["state"].string == "valid" && token["lastUsed"] == .null)
            let created = try Timestamp(try #require(token["created"].string))
            let expires = try Timestamp(try #require(token["expires"].string))
            let lifetime = expires.since(created) - .seconds(90 * 86_400)
            #expect(abs(lifetime / .seconds(1)) < 60)
            #expect(try await listed(server, ["--app", "keeptrack"]).isEmpty)
        }
    }

    /// Whoever the provider calls so would be the same person.
    @Test func noTokenIsMadeForWhomAProviderCouldName() async throws {
        let folder = try TemporaryDirectory()
        let entry: JSONValue = [
            "issuer": "https://login.example", "audiences": ["example.pantry"], "subjectPrefix": "login:",
        ]
        try folder.write(JSONValue.object(["issuers": [entry]]).bytes, to: "identity.json")
        try await withTestServer { server in
            func create(_ subject: String, _ words: [String]) async throws -> CommandRun {
                try await run(["create", "--app", "fitiq", "--role", "read", "--subject", subject] + words, server)
            }
            let file = ["--identity", "\(folder.path)/identity.json"]
            let refused = try await create("login:anna", file)
            #expect(refused.status == 2 && refused.errors.contains("issuers[0]"), "\(refused)")
            #expect(refused.errors.contains("https://login.example") && refused.output.isEmpty, "\(refused)")
            #expect(try await create("anna", file).status == 0)
            // One's own service may hand out tokens for people who signed in.
            #expect(try await create("login:anna", []).status == 0)
        }
    }

    @Test func aRevokedTokenIsRefusedAndAnUnknownIDIsAnError() async throws {
        try await withTestServer { server in
            let (secret, id) = try await create(server)
            let said = try await run(["revoke", id], server)
            #expect(said.status == 0 && said.output.contains("revoked"), "\(said.errors)")
            #expect(try await status(secret, server) == 401)
            #expect(try await json(["revoke", id], server)["was"].string == "revoked")
            #expect(try await listed(server).isEmpty)
            #expect(try await listed(server, ["--all"]).first?["state"].string == "revoked")
            let unknown = try await run(["revoke", "0123456789abcdef"], server)
            #expect(unknown.status == 1 && unknown.errors.contains("token list --all"), "\(unknown.errors)")
            let secretGiven = try await run(["revoke", secret], server)
            #expect(secretGiven.status == 2 && !secretGiven.errors.contains(secret), "\(secretGiven.errors)")
        }
    }

    /// Each server remembers tokens by itself, and has streams of its own.
    @Test func whatIsRevokedIsSoForEveryServerOfTheDatabase() async throws {
        try await withTestServer { server in
            try await server.withSecondServer { second in
                let (secret, id) = try await create(server)
                let ports = [server.port, second.port]
                func statuses() async throws -> [Int] {
                    var statuses: [Int] = []
                    let headers = server.headers(changing: ["Authorization": "Bearer \(secret)"])
                    for port in ports {
                        statuses.append(
                            try await TestClient(port: port).request("GET", server.path(), headers: headers).status)
                    }
                    return statuses
                }
                #expect(try await statuses() == [200, 200])
                var streams: [EventReader] = []
                for port in ports {
                    let reader = try EventReader(
                        port: port, server.path("events"),
                        headers: server.headers(changing: ["Authorization": "Bearer \(secret)"]))
                    #expect(try await reader.head().status == 200)
                    #expect(try await reader.next() == 0)
                    streams.append(reader)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for service in [server.service, second] {
                        group.addTask { await service.keepEvents(reviewing: .seconds(1)) }
                    }
                    defer { group.cancelAll() }
                    let said = try await run(["revoke", id], server)
                    #expect(said.status == 0, "\(said.errors)")
                    try await eventually("both servers refuse it") { try await statuses() == [401, 401] }
                    for stream in streams { #expect(await stream.ends()) }
                }
            }
        }
    }

    @Test func theOldTokenGoesOnForItsGrace() async throws {
        try await withTestServer { server in
            let (old, id) = try await create(server, ["--expires", "30d"])
            let rotated = try await json(["rotate", id, "--grace", "1h"], server)
            let new = try #require(rotated["token"].string)
            #expect(rotated["replaces"].string == id)
            #expect(try await status(old, server) == 200)
            #expect(try await status(new, server) == 200)
            let tokens = try await listed(server)
            let times = try tokens.compactMap { try $0["expires"].string.map { try Timestamp($0) } }
            #expect(times.count == 2 && times[1].since(times[0]) > .seconds(29 * 86_400))
            // The new one is made for as long as the old one was.
            #expect(tokens.last?["replaces"].string == id)
            try await server.administer("UPDATE sync.token SET expires_at = now() WHERE rotated_from IS NULL")
            let again = try await run(["rotate", id], server)
            #expect(again.status == 1 && again.errors.contains("expired"), "\(again.errors)")
        }
    }

    @Test func theGraceOfATokenThatEndsSoonerIsShorter() async throws {
        try await withTestServer { server in
            let (_, id) = try await create(server, ["--expires", "1h"])
            _ = try await json(["rotate", id, "--grace", "2d"], server)
            for token in try await listed(server) {
                let expires = try Timestamp(try #require(token["expires"].string))
                #expect(expires.since(.now) < .seconds(2 * 3_600))
            }
        }
    }

    @Test func aSubjectHasALengthThatThereMayBe() async throws {
        try await withTestServer { server in
            for subject in ["", String(repeating: "é", count: 128)] {
                let run = try await run(
                    ["create", "--app", "fitiq", "--role", "write", "--subject=\(subject)"], server)
                #expect(run.status == 2 && run.errors.contains("‘--subject’"), "\(run.errors)")
            }
        }
    }

    @Test(
        "What no token can end at is refused",
        arguments: ["0d", "soon", "2027-13-01", "2020-01-31", "90", "2027-01-31T00:00:00", "-1d"])
    func expiryIsRead(text: String) async throws {
        try await withTestServer { server in
            let run = try await run(
                [
                    "create", "--app", "fitiq", "--subject", "ada", "--role", "write", "--space", "\(server.space)",
                    "--expires=\(text)",
                ], server)
            #expect(run.status == 2 && run.errors.contains("‘--expires’"), "\(run.errors)")
        }
    }
}
