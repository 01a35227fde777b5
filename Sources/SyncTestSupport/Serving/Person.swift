import SyncEngine
import SyncServer
import SyncTesting
package import WireFormats

/// A subject (a person who uses apps), with a token that is not limited to one space.
package struct Person {
    package let server: TestServer
    package let subject: String
    package let token: String
    /// The port of the server to which the subject's requests are sent.
    package let port: Int

    package init(_ subject: String, _ server: TestServer, app: String? = nil, port: Int? = nil) async throws {
        self.server = server
        self.subject = subject
        self.port = port ?? server.port
        token = try await server.makeToken(app: app ?? server.plan.app, spaces: [], subject: subject)
    }

    /// Makes a subject with an existing token.
    ///
    /// - Parameter port: the port of the server; `nil` for that of `server`.
    package init(_ subject: String, _ server: TestServer, token: String, port: Int? = nil) {
        self.server = server
        self.subject = subject
        self.token = token
        self.port = port ?? server.port
    }

    /// Sends a request with the subject's token.
    ///
    /// - Parameter path: the part of the path that follows the app's path.
    package func request(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> TestReply {
        try await TestClient(port: port).request(
            method, "\(Endpoint.app.path(app: server.plan.app))/\(path)",
            headers: [
                "\(HeaderName.authorization): Bearer \(token)", "Content-Type: application/json",
                "\(HeaderName.schemaVersion): 0.1.1",
            ], body: body?.bytes)
    }

    package func makeSpace() async throws -> ID {
        let reply = try await request("POST", "spaces")
        guard reply.status == 201, let space = reply.json["space"].string.flatMap({ ID($0) }) else {
            throw Surprise(reply: reply)
        }
        return space
    }

    /// Creates an invitation to a space, and returns its secret.
    ///
    /// - Parameters:
    ///   - role: the role that the invited person will have in the space.
    ///   - lifetime: the time until the invitation expires, in seconds; `nil` for the server's default.
    package func invite(to space: ID, as role: String = "editor", lifetime: Int64? = nil) async throws -> String {
        var body: [String: JSONValue] = ["role": .string(role)]
        if let lifetime { body["lifetime"] = .int(lifetime) }
        let reply = try await request("POST", "spaces/\(space)/invitations", .object(body))
        guard reply.status == 201, let secret = reply.json["secret"].string else { throw Surprise(reply: reply) }
        return secret
    }

    package func accept(_ secret: String) async throws -> TestReply {
        try await request("POST", "invitations/accept", ["secret": .string(secret)])
    }

    /// Invites another subject to a space, and accepts the invitation as that subject.
    package func bring(_ other: Person, to space: ID, as role: String = "editor") async throws {
        let reply = try await other.accept(invite(to: space, as: role))
        guard reply.status == 200 else { throw Surprise(reply: reply) }
    }

    package func device(_ version: String = "0.1.1", in space: String = "me") -> TestDevice {
        TestDevice(
            client: TestClient(port: port), path: server.path(space: space), token: token, plan: server.plan,
            version: version, id: .random(), mode: nil)
    }

    package func status(in space: ID) async throws -> TestReply { try await status(in: "\(space)") }

    package func status(in space: String) async throws -> TestReply {
        try await request("GET", "spaces/\(space)/changes")
    }

    /// An error that contains a reply that the test did not expect.
    package struct Surprise: Error {
        let reply: TestReply
    }
}

extension Sequence {
    /// Returns the transformed elements. They are transformed one after the other.
    package func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
