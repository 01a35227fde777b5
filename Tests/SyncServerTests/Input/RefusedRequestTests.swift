import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Each refusal has its status and its stable code, and stores nothing: see docs/protocol.md, *Problems*.
@Suite struct RefusedRequestTests {
    struct Refusal: CustomTestStringConvertible, Sendable {
        let status: Int
        let code: String
        var changing: [String: String?] = [:]
        var method = "POST"
        /// Instead of `/v1/apps/fitiq/spaces/{space}/changes`; `{space}` is replaced.
        var target: String?
        var body: String?

        var testDescription: String { "\(code): \(method) \(target ?? "") \(changing)" }
    }

    static let refusals: [Refusal] =
        versions + authorizations + targets + [
            Refusal(status: 400, code: "malformed", changing: ["Device-Id": "me"]),
            Refusal(status: 400, code: "malformed", changing: ["Device-Id": ""]),
            Refusal(status: 400, code: "malformed", changing: ["Device-Id": "0b0f7f0e-0000-4000-8000-00000000000g"]),
            Refusal(status: 415, code: "unsupported-media-type", changing: ["Content-Type": "text/plain"]),
            Refusal(status: 415, code: "unsupported-media-type", changing: ["Content-Type": "application/jsonp"]),
            Refusal(status: 415, code: "unsupported-encoding", changing: ["Content-Encoding": "br"]),
            Refusal(status: 400, code: "malformed", changing: ["Content-Encoding": "gzip"]),
        ] + bodies

    private static let versions: [Refusal] = [
        Refusal(status: 400, code: "malformed", changing: ["Schema-Version": nil]),
        Refusal(status: 400, code: "malformed", changing: ["Schema-Version": "6"]),
        Refusal(status: 400, code: "malformed", changing: ["Schema-Version": "0.0"]),
        Refusal(status: 400, code: "malformed", changing: ["Schema-Version": "0.0.x"]),
        Refusal(status: 400, code: "malformed", changing: ["Schema-Version": "-1.0.0"]),
        Refusal(status: 400, code: "malformed", changing: ["Schema-Version": "0.0.6;fingerprint=1"]),
        Refusal(status: 400, code: "malformed", changing: ["Schema-Version": "0.0.6;fp=1;fp=2"]),
        Refusal(status: 409, code: "schema-unknown", changing: ["Schema-Version": "0.0.12"]),
        Refusal(status: 409, code: "schema-unknown", changing: ["Schema-Version": "0.1.2"]),
        Refusal(status: 409, code: "schema-unknown", changing: ["Schema-Version": "99.0.0"]),
        Refusal(status: 409, code: "schema-unknown", changing: ["Schema-Version": "0.0.6;fp=0123456789abcdef"]),
        Refusal(status: 409, code: "schema-unknown", changing: ["Schema-Version": "0.0.6;fp="]),
    ]

    private static let authorizations: [Refusal] = [
        Refusal(status: 401, code: "unauthenticated", changing: ["Authorization": nil]),
        Refusal(status: 401, code: "unauthenticated", changing: ["Authorization": ""]),
        Refusal(status: 401, code: "unauthenticated", changing: ["Authorization": "Bearer"]),
        Refusal(status: 401, code: "unauthenticated", changing: ["Authorization": "Bearer sync_guessed"]),
        Refusal(status: 401, code: "unauthenticated", changing: ["Authorization": "Basic dXNlcjpwYXNz"]),
        Refusal(
            status: 401, code: "unauthenticated",
            changing: ["Authorization": "Bearer \(String(repeating: "x", count: 5000))"]),
    ]

    private static let targets: [Refusal] = [
        Refusal(status: 404, code: "not-found", target: "/v1/apps/nothing/spaces/{space}/changes"),
        Refusal(status: 404, code: "not-found", target: "/v1/apps/fitiq/spaces/{space}/nothing"),
        Refusal(status: 404, code: "not-found", target: "/v1/apps/fitiq/spaces/{space}/changes/"),
        Refusal(status: 404, code: "not-found", target: "/v1/apps/fitiq/spaces/mine/changes"),
        Refusal(status: 404, code: "not-found", target: "/v2/apps/fitiq/spaces/{space}/changes"),
        Refusal(status: 404, code: "not-found", target: "/../../etc/passwd"),
        Refusal(status: 404, code: "not-found", target: "/"),
        Refusal(
            status: 403, code: "not-a-member",
            target: "/v1/apps/fitiq/spaces/0b0f7f0e-0000-4000-8000-000000000001/changes"),
        Refusal(status: 405, code: "method-not-allowed", method: "DELETE"),
        Refusal(status: 405, code: "method-not-allowed", method: "PUT"),
        Refusal(
            status: 405, code: "method-not-allowed", method: "GET", target: "/v1/apps/fitiq/spaces/{space}/sync"),
        Refusal(status: 405, code: "method-not-allowed", target: "/healthz"),
        Refusal(status: 405, code: "method-not-allowed", target: "/v1/apps"),
    ]

    private static let bodies: [Refusal] = [
        Refusal(status: 400, code: "malformed", body: #"{"changes":[],"cursor":"nonsense"}"#),
        Refusal(status: 400, code: "malformed", body: #"{"changes":[],"cursor":5}"#),
        Refusal(
            status: 400, code: "malformed", target: "/v1/apps/fitiq/spaces/{space}/sync",
            body: #"{"changes":[],"limit":0}"#),
        Refusal(
            status: 400, code: "malformed", target: "/v1/apps/fitiq/spaces/{space}/sync",
            body: #"{"changes":[],"limit":"many"}"#),
        Refusal(
            status: 400, code: "malformed", method: "GET",
            target: "/v1/apps/fitiq/spaces/{space}/changes?cursor=nonsense"),
        Refusal(
            status: 400, code: "malformed", method: "GET", target: "/v1/apps/fitiq/spaces/{space}/changes?cursor=%00"),
        Refusal(status: 400, code: "malformed", method: "GET", target: "/v1/apps/fitiq/spaces/{space}/changes?limit=0"),
        Refusal(
            status: 400, code: "malformed", method: "GET", target: "/v1/apps/fitiq/spaces/{space}/changes?limit=-1"),
        Refusal(
            status: 400, code: "malformed", method: "GET", target: "/v1/apps/fitiq/spaces/{space}/changes?limit=1e3"),
        Refusal(
            status: 400, code: "malformed", method: "GET",
            target: "/v1/apps/fitiq/spaces/{space}/changes?limit=-99999999999999999999"),
        Refusal(
            status: 400, code: "malformed", target: "/v1/apps/fitiq/spaces/{space}/sync",
            body: #"{"changes":[],"limit":-1e300}"#),
        Refusal(
            status: 400, code: "malformed", target: "/v1/apps/fitiq/spaces/{space}/sync",
            body: #"{"changes":[],"limit":1.5}"#),
    ]

    @Test(
        "S2_04: a request that cannot be served, of an unknown version or shape for one, stores nothing",
        arguments: refusals)
    func aRequestThatCannotBeServedIsRefusedAndStoresNothing(refusal: Refusal) async throws {
        try await withTestServer { server in
            let body = refusal.body.map { Array($0.utf8) } ?? valid.bytes
            let before = try await server.contents()
            let target = refusal.target?.replacing("{space}", with: server.space.description)
            let reply = try await server.send(
                refusal.method, target, changing: refusal.changing, body: refusal.method == "GET" ? nil : body)
            #expect(reply.isProblem(refusal.status, refusal.code), "\(reply)")
            #expect(reply.status != 401 || reply["www-authenticate"] == "Bearer")
            #expect(reply.status != 405 || reply["allow"]?.isEmpty == false)
            #expect(reply.status != 409 || reply.json["known"].elements.count == 11 && reply["retry-after"] != nil)
            #expect(try await server.contents() == before)
            #expect(try await server.isHealthy())
        }
    }

    /// The control: the same request, without its fault, is served.
    @Test func theSameRequestWithoutTheFaultIsServed() async throws {
        try await withTestServer { server in
            let fingerprint = server.plan.schemas[5].fingerprint
            for version in ["0.0.6", "0.0.6;fp=\(fingerprint)", "0.0.6; fp=\(fingerprint)"] {
                let reply = try await server.send("POST", changing: ["Schema-Version": version], body: valid.bytes)
                #expect(reply.status == 200, "\(reply)")
            }
            let mine = try await server.send(
                "POST", server.path(space: "me"), changing: ["Schema-Version": "0.0.6"], body: valid.bytes)
            #expect(mine.status == 200 && mine.json["results"].elements.first?["verdict"] == "unchanged")
        }
    }

    @Test func aTokenIsGoodForItsAppItsSpacesAndItsRoleOnly() async throws {
        try await withTestServer { server in
            let others = try await server.makeToken(spaces: [.random()])
            let reader = try await server.makeToken(role: .read, spaces: [server.space])
            let elsewhere = try await server.makeToken(app: "another", spaces: [server.space])
            let before = try await server.contents()
            for (token, code) in [(others, "not-a-member"), (elsewhere, "forbidden")] {
                for (method, body) in [("POST", valid.bytes), ("GET", nil)] {
                    let reply = try await server.send(
                        method, changing: ["Authorization": "Bearer \(token)"], body: body)
                    #expect(reply.isProblem(403, code), "\(reply)")
                }
            }
            let read = try await server.send("GET", changing: ["Authorization": "Bearer \(reader)"])
            #expect(read.status == 200)
            // Change by change, so that its app can say which.
            for path in ["changes", "sync"] {
                let push = try await server.send(
                    "POST", server.path(path), changing: ["Authorization": "Bearer \(reader)"], body: valid.bytes)
                #expect(push.status == 200, "\(push)")
                let results = push.json["results"].elements
                #expect(results.map { [$0["verdict"], $0["code"]] } == [["rejected", "read-only"]], "\(push)")
            }
            #expect(try await server.contents() == before)
        }
    }

    @Test func aRevokedTokenIsNoToken() async throws {
        try await withTestServer { server in
            let session = try await server.database.session()
            try await session.execute("UPDATE sync.token SET revoked_at = now()")
            await session.close()
            #expect(try await server.send("GET").isProblem(401, "unauthenticated"))
        }
    }

    private let valid: JSONValue = ["changes": [.create("SDMeal", ID(high: 7, low: 7), at: moment(1))]]
}
