package import WireFormats

extension TestServer {
    /// Sends a request over a connection of its own, with the headers of a correct client.
    ///
    /// - Parameters:
    ///   - target: the path and query; `nil` for the changes of the space.
    ///   - changing: headers to add or replace, by name. A header whose value is `nil` is left out.
    package func send(
        _ method: String, _ target: String? = nil, changing: [String: String?] = [:], body: [UInt8]? = nil
    ) async throws -> TestReply {
        try await client().request(method, target ?? path(), headers: headers(changing: changing), body: body)
    }

    /// Pushes these changes as they are, and returns the reply.
    ///
    /// - Parameter space: the space to push into; `nil` for the test server's space.
    package func post(
        _ changes: [JSONValue], to space: ID? = nil, changing: [String: String?] = [:]
    ) async throws -> TestReply {
        let body = JSONValue.object(["changes": .array(changes)]).bytes
        return try await send("POST", path(space: space?.description), changing: changing, body: body)
    }

    package func headers(changing: [String: String?] = [:]) -> [String] {
        var headers: [String: String?] = [
            HeaderName.authorization: "Bearer \(token)", HeaderName.schemaVersion: "0.1.1",
            "Content-Type": MediaType.json,
            HeaderName.deviceID: TestServer.someDevice.description,
        ]
        headers.merge(changing) { $1 }
        return headers.compactMap { name, value in value.map { "\(name): \($0)" } }
    }

    /// Returns true if the server answers that it is healthy.
    package func isHealthy() async throws -> Bool {
        try await client().request("GET", Endpoint.health.rawValue).status == 200
    }

    private static let someDevice = ID(high: 0x5eed, low: 1)
}
