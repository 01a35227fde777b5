import Foundation
import PGStore
import Postgres
import WireFormats

/// A real OpenID provider, in a process of its own, for one registered app and two users, ‘anna’ and ‘bela’. Its
/// program is Tests/PythonTools/identity_provider.py.
package actor OpenIDProvider {
    private let queue = BlockingQueue(label: "openid-provider")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let process = Process()
    /// The standard input of the provider's process. The process ends when this is closed.
    private let input = Pipe()
    private var port = 0

    /// The client id with which the app is registered at the provider.
    package static let audience = "example.pantry"
    private static let secret = "pantry's secret"

    /// An unexpected text of the provider: its output was not a port, or its answer was not a token.
    package struct Failure: Error {
        package let text: String
    }

    package init() {}

    /// Starts the provider's process.
    ///
    /// - Parameter algorithm: the algorithm by which it signs tokens: RS256, ES256 or EdDSA.
    package func start(_ algorithm: String) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "\(PythonTools.folder)/bin/python")
        process.arguments = ["\(Repository.root)/Tests/PythonTools/identity_provider.py", algorithm]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw Failure(text: line) }
        self.port = port
    }

    package func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The URL of the provider, by which tokens name it as their issuer.
    package var name: String { "http://127.0.0.1:\(port)" }

    /// Returns the content of an identity file: with it, a server trusts this provider.
    ///
    /// - Parameter prefix: the text that the server puts before the names of the provider's users, to make its own
    ///   subjects.
    package func file(prefix: String) -> JSONValue {
        [
            "issuers": [
                [
                    "issuer": .string(name), "audiences": [.string(OpenIDProvider.audience)],
                    "subjectPrefix": .string(prefix), "allowPrivateAddresses": true,
                ]
            ]
        ]
    }

    /// Requests a token for a user, with the user's password (RFC 6749, section 4.3).
    package func token(for person: String) async throws -> String {
        let credentials = Base64.encode(Array("\(OpenIDProvider.audience):\(OpenIDProvider.secret)".utf8))
        let password = "\(person)%27s+password"
        let body = "grant_type=password&scope=openid+profile&username=\(person)&password=\(password)"
        // The provider answers only requests with its own host name.
        let head = [
            "POST /oauth/token HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Basic \(credentials)",
            "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.utf8.count)",
        ]
        let request = head.joined(separator: "\r\n") + "\r\n\r\n" + body
        let reply = try await TestClient(port: port).exchange(Array(request.utf8))
        guard reply.status == 200, let token = reply.json["access_token"].string else {
            throw Failure(text: "\(reply)")
        }
        return token
    }
}
