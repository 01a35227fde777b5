package import HTTPServer
package import OpenID
import PGStore
import Postgres
import Synchronization
import WireFormats

/// A fake identity provider that a test controls: it can change its keys, fail, and send invalid answers.
package struct TestIssuer: Sendable {
    private let http: HTTPServer
    private let conduct: Conduct

    /// The client id with which the app is registered at the provider.
    package static let audience = "example.pantry"

    package init(_ keys: [SigningKey]) throws {
        let conduct = Conduct(keys.map(\.publicKey))
        var configuration = HTTPServer.Configuration()
        configuration.port = 0
        http = try HTTPServer.start(configuration) { .answer(conduct.answer($0)) }
        self.conduct = conduct
    }

    package var name: String { "http://127.0.0.1:\(http.port)" }

    /// The numbers of requests so far: those for the provider's keys, and those for paths that it does not announce.
    package var requests: (keys: Int, others: Int) { conduct.state.withLock { ($0.keysRequests, $0.otherRequests) } }

    /// Replaces the public keys that the provider publishes.
    package func publish(_ keys: [SigningKey]) { conduct.state.withLock { $0.keys = keys.map(\.publicKey) } }

    /// Sets the answer to requests for the provider's keys.
    ///
    /// - Parameter answer: the answer from now on; `nil` to answer with the published keys again.
    package func answerKeys(with answer: HTTPResponse?) { conduct.state.withLock { $0.keysAnswer = answer } }

    /// Sets the issuer that the provider names in its published configuration.
    ///
    /// - Parameter issuer: the issuer from now on; `nil` for the correct one.
    package func call(itself issuer: String?) { conduct.state.withLock { $0.calledName = issuer } }

    package func stop() async { await http.stop() }

    /// Returns the claims of a valid token for a subject.
    ///
    /// - Parameters:
    ///   - others: additional claims, or claims that replace the valid ones.
    ///   - seconds: the time until the token expires, in seconds.
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

    /// Returns the identity file with which a server trusts this provider.
    ///
    /// - Parameter others: members to add to the provider's entry in the file, or to replace there.
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
