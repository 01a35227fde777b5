import HTTPServer
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// `serve --log-requests`: one line for each request, by which it can be found again, and nothing of what it says.
@Suite struct RequestLogTests {
    private func lines(_ body: (TestServer) async throws -> Void) async throws -> [JSONValue] {
        let lines = LogLines()
        try await withTestServer(policy: RequestPolicy(logsRequests: true), log: lines.log, body)
        return try lines.all.map { try JSONValue(parsing: Array($0.utf8)) }.filter { $0["message"] == "request" }
    }

    @Test func eachRequestHasALineWithTheIdOfItsAnswer() async throws {
        var ids: [String?] = []
        let lines = try await lines { server in
            for (method, path) in [
                ("GET", server.path()), ("GET", "/v1/apps"), ("GET", "/nowhere"), ("BREW", "/v1/apps"),
            ] {
                ids.append(try await server.send(method, path)["x-request-id"])
            }
            ids.append(try await server.post([.create("SDMeal", .random(), at: moment(1))])["x-request-id"])
            ids.append(try await server.send("GET", changing: ["Authorization": nil])["x-request-id"])
        }
        #expect(ids.allSatisfy { $0 != nil } && Set(ids).count == ids.count)
        #expect(lines.map { $0["id"].string } == ids)
        #expect(lines.map { $0["operation"] } == ["pull", "apps", "none", "none", "push", "pull"])
        #expect(lines.map { $0["status"] } == [200, 200, 404, 405, 200, 401])
        #expect(lines.map { $0["method"] } == ["GET", "GET", "other", "other", "POST", "GET"])
        #expect(lines.allSatisfy { $0["milliseconds"] != nil && $0["milliseconds"].string == nil })
        #expect((lines[4]["received"].int ?? 0) > 0)
    }

    @Test func anIdAndATraceThatAreOnesAreTakenOver() async throws {
        let own = "0af7651916cd43dd8448eb211c80319c"
        let lines = try await lines { server in
            for (name, value) in [
                ("X-Request-Id", own), ("X-Request-Id", "\(ID(high: 1, low: 1))"), ("X-Request-Id", "not mine"),
                ("X-Request-Id", String(repeating: "a", count: 37)), ("X-Request-Id", "short"),
                ("traceparent", "00-\(own)-b7ad6b7169203331-01"), ("traceparent", "00-\(own)-0000000000000000-01"),
                ("traceparent", "01-\(own)-b7ad6b7169203331-01"),
                ("traceparent", "00-\(own.uppercased())-b7ad6b7169203331-01"),
            ] {
                _ = try await server.client().request("GET", "/v1/apps", headers: ["\(name): \(value)"])
            }
        }
        #expect(lines[0]["id"].string == own && lines[1]["id"].string == "\(ID(high: 1, low: 1))")
        #expect(lines[2...4].allSatisfy { ID($0["id"].string ?? "") != nil })
        #expect(lines[5...].map { $0["trace"].string } == [own, nil, nil, nil])
    }

    /// Balancers and supervisors ask every few seconds.
    @Test func probesHaveNoLine() async throws {
        let lines = try await lines { server in
            for path in ["/healthz", "/readyz", "/v1/apps"] { _ = try await server.send("GET", path) }
        }
        #expect(lines.map { $0["operation"] } == ["apps"])
    }

    @Test func aLevelLeavesOutWhatMattersLess() {
        for least in Log.Level.allCases {
            let lines = LogLines()
            let log = lines.log(atLeast: least)
            log.info("info")
            log.warning("warning")
            log.error("error")
            let kept = Log.Level.allCases.filter { $0 >= least }.map(\.rawValue)
            #expect(lines.all.count == kept.count)
            for (line, level) in zip(lines.all, kept) {
                #expect(line.contains("\"level\":\"\(level)\"") && line.contains("\"message\":\"\(level)\""))
            }
        }
    }

    /// The text of an error or a header is on one line, and turns nothing around.
    @Test func aLineOfTextIsOneLine() {
        let lines = LogLines()
        Log(as: .text, take: lines.take).info("a\nb\u{85}c\u{2028}d\u{2029}e\u{202E}f\u{7F}g", ["naïve": "日本\u{2066}"])
        #expect(lines.all.count == 1 && lines.all[0].hasSuffix(" a b c d e f g (naïve: 日本 )\n"), "\(lines.all)")
    }

    /// A line about a request's trouble names it, too.
    @Test func whatGoesWrongNamesItsRequest() async throws {
        let lines = LogLines()
        var id: String?
        try await withTestServer(log: lines.log) { server in
            let session = try await Session.open(server.database.superuserConnectionString)
            try await session.execute("REVOKE INSERT ON fitiq.sd_meal FROM syncserver_serving")
            await session.close()
            let reply = try await server.post([.create("SDMeal", .random(), at: moment(1))])
            #expect(reply.status == 500)
            id = reply["x-request-id"]
        }
        let failure = try #require(lines.all.first { $0.contains("request failed") })
        #expect(try JSONValue(parsing: Array(failure.utf8))["request"].string == id)
    }

    /// Whatever fails, and where: neither the space nor the member that a path names is in the log.
    @Test func aFaultOfOursNamesNoPath() async throws {
        let lines = LogLines()
        let member = "canary@example.org"
        try await withTestServer(policy: RequestPolicy(logsRequests: true), log: lines.log) { server in
            let owner = try await Person("owner \(member)", server)
            let space = try await owner.makeSpace()
            // Known now, so that what fails is behind the token.
            #expect(try await owner.status(in: space).status == 200)
            let session = try await Session.open(server.database.superuserConnectionString)
            try await session.execute("ALTER FUNCTION sync.lock_members(uuid) RENAME TO elsewhere")
            await session.close()
            var failed: [String] = []
            for route in RouteTable.all {
                let path = route.path.filled { parameter in
                    switch parameter {
                    case .app: server.plan.app
                    case .version: "0.1.1"
                    case .space: "\(space)"
                    case .subject: member
                    case .invitation: "\(ID.random())"
                    }
                }
                let below = String(path.dropFirst("/v1/apps/\(server.plan.app)/".count))
                guard path.hasPrefix("/v1/apps/\(server.plan.app)/") else { continue }
                let body: JSONValue? = route.method == .get || route.method == .delete ? nil : ["role": "editor"]
                let reply = try await owner.request(route.method.token, below, body)
                if reply.status == 500 { failed.append(route.operation.name) }
            }
            #expect(failed.contains("change-member") && failed.contains("remove-member"), "\(failed)")
            let failures = lines.all.filter { $0.contains("request failed") }
            #expect(failures.count == failed.count)
            for (line, operation) in zip(failures, failed) {
                #expect(try JSONValue(parsing: Array(line.utf8))["operation"].string == operation)
            }
            let leaks = lines.all.filter { $0.contains("canary") || $0.lowercased().contains("\(space)".lowercased()) }
            #expect(leaks.isEmpty, "\(leaks.prefix(5))")
        }
    }

    /// Canaries in every field that a client can write to.
    @Test func nothingThatAClientSaysIsInTheLog() async throws {
        let lines = LogLines()
        let canary = "cAnArY"
        try await withTestServer(policy: RequestPolicy(logsRequests: true), log: lines.log) { server in
            let secret = "sync_" + String((canary + String(repeating: "x", count: 43)).prefix(43))
            let headers: [[String: String?]] = [
                [:], ["Authorization": "Bearer \(secret)"], ["Authorization": "Basic \(canary)"],
                ["X-Request-Id": canary], ["X-Request-Id": secret], ["traceparent": canary], ["Schema-Version": canary],
                ["Device-Id": canary], ["Change-Mode": canary], ["Outbox-Age": canary], ["Content-Type": canary],
                ["Repetitions": canary],
                ["Content-Encoding": canary], ["Forwarded": "for=\(canary)"], ["User-Agent": canary],
            ]
            let bodies: [JSONValue] = [
                ["changes": [.create("SDMeal", .random(), ["notes": .string(canary)], at: moment(1))]],
                ["changes": [.create(canary, .random(), [canary: .string(canary)], at: moment(1)), .string(canary)]],
                ["changes": [], "cursor": .string(canary)], [canary: .string(canary)], .string(canary),
            ]
            for headers in headers {
                for body in bodies { _ = try await server.send("POST", changing: headers, body: body.bytes) }
                for path in [
                    server.path() + "?cursor=\(canary)", server.path(space: canary), "/\(canary)", "/v1/apps/\(canary)",
                    "/v1/apps/fitiq/versions/\(canary)/schema.json",
                    "/v1/apps/fitiq/spaces/\(server.space)/members/\(canary)",
                ] {
                    _ = try await server.send("GET", path, changing: headers)
                    _ = try await server.send("DELETE", path, changing: headers)
                }
                _ = try await server.send(canary, changing: headers)
                _ = try await server.send(
                    "POST", "/v1/apps/fitiq/invitations/accept", changing: headers,
                    body: JSONValue.object(["secret": .string("invite_\(canary)")]).bytes)
            }
            let made = try await server.makeToken(spaces: [server.space], subject: canary)
            _ = try await server.send("GET", changing: ["Authorization": "Bearer \(made)"])
            #expect(!lines.all.contains { $0.contains(made) || $0.contains(server.token) })
        }
        #expect(lines.all.count > 200)
        let leaks = lines.all.filter { $0.lowercased().contains(canary.lowercased()) }
        #expect(leaks.isEmpty, "\(leaks.prefix(5))")
        // It can fail: what is logged is looked through.
        lines.log.info("a word of a client's", ["word": .text(canary)])
        #expect(lines.all.contains { $0.contains(canary) })
    }
}
