package import HTTPServer
package import OpenID
import PGStore
import Postgres
import Synchronization
import WireFormats

/// An identity provider that does as it is told: its keys change, it fails, it sends what none should.
package struct TestIssuer: Sendable {
    private let http: HTTPServer
    private let conduct: Conduct

    /// What the app is called there.
    package static let audience = "example.pantry"

    package init(_ keys: [SigningKey]) throws {
        let conduct = Conduct(keys.map(\.publicKey))
        var configuration = HTTPServer.Configuration()
        configuration.port = 0
        http = try HTTPServer.start(configuration) { .answer(conduct.answer($0)) }
        self.conduct = conduct
    }

    package var name: String { "http://127.0.0.1:\(http.port)" }

    /// How often its keys were asked for, and anything that it never told of.
    package var requests: (keys: Int, others: Int) { conduct.state.withLock { ($0.keysRequests, $0.otherRequests) } }

    /// What it publishes from now on.
    package func publish(_ keys: [SigningKey]) { conduct.state.withLock { $0.keys = keys.map(\.publicKey) } }

    /// - Parameter answer: what it sends for its keys from now on; `nil` for what it should.
    package func answerKeys(with answer: HTTPResponse?) { conduct.state.withLock { $0.keysAnswer = answer } }

    /// - Parameter issuer: whose configuration it says that its own is; `nil` for its own name.
    package func call(itself issuer: String?) { conduct.state.withLock { $0.calledName = issuer } }

    package func stop() async { await http.stop() }

    /// Claims of a token that lets in.
    package func claims(_ subject: String, _ others: [String: JSONValue] = [:], lasting seconds: Int64 = 600)
        -> JSONValue
    {
        let now = Timestamp.now.microseconds / 1_000_000
        let claims: [String: JSONValue] = [
            "iss": .string(name), "aud": .string(TestIssuer.audience), "sub": .string(subject), "iat": .int(now),
            "exp": .int(now + seconds),
        ]
        return .object(claims.merging(others) { $1 })
    }

    /// What a server's file says of it.
    ///
    /// - Parameter others: members of its entry.
    package func file(_ others: [String: JSONValue] = [:]) throws -> IdentityFile {
        try IdentityFile(fileContents(others).bytes)
    }

    package func fileContents(_ others: [String: JSONValue] = [:]) -> JSONValue {
        let entry: [String: JSONValue] = [
            "issuer": .string(name), "audiences": [.string(TestIssuer.audience)], "subjectPrefix": "test:",
            "allowPrivateAddresses": true,
        ]
        return ["issuers": [.object(entry.merging(others) { $1 })]]
    }

    private final class Conduct: Sendable {
        struct State {
            var keys: [JSONValue]
            var keysAnswer: HTTPResponse?
            var calledName: String?
            var keysRequests = 0
            var otherRequests = 0
        }

        let state: Mutex<State>

        init(_ keys: [JSONValue]) { state = Mutex(State(keys: keys)) }

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            state.withLock { state in
                let host = request.headers["Host"] ?? ""
                switch request.path {
                case "/.well-known/openid-configuration":
                    let name = state.calledName ?? "http://\(host)"
                    return json(["issuer": .string(name), "jwks_uri": .string("http://\(host)/keys")])
                case "/keys":
                    state.keysRequests += 1
                    return state.keysAnswer ?? json(["keys": .array(state.keys)])
                default:
                    state.otherRequests += 1
                    return HTTPResponse(status: 404)
                }
            }
        }

        private func json(_ value: JSONValue) -> HTTPResponse {
            HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array(value.text.utf8))
        }
    }
}
