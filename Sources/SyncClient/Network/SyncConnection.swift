import Foundation

/// A device's way to its space over HTTP.
struct SyncConnection: Sendable {
    private let base: URL
    private let transport: any Transport

    init(_ endpoint: SyncEndpoint, app: String, transport: any Transport) {
        base = endpoint.server.appending(path: "v1/apps/\(app)/spaces/\(endpoint.space)")
        self.transport = transport
    }

    /// - Throws: `SyncFailure.unreachable`; whether what was sent took effect is not known then.
    func send(_ request: SyncRequest, token: String) async throws -> TransportAnswer {
        var message = message(request.method, request.action, request.headers, token)
        if !request.query.isEmpty {
            message.url.append(queryItems: request.query.map { URLQueryItem(name: $0.name, value: $0.value) })
        }
        if let body = request.body {
            message.headers.append(("Content-Type", "application/json"))
            message.body = body
        }
        return try await transport.send(message)
    }

    /// The heads that the server tells of, until the stream ends or the task is cancelled.
    func heads(_ headers: [(name: String, value: String)], token: String) -> AsyncStream<Int64> {
        transport.heads(message("GET", "events", headers, token))
    }

    private func message(
        _ method: String, _ action: String, _ headers: [(name: String, value: String)], _ token: String
    ) -> TransportRequest {
        TransportRequest(
            method: method, url: base.appending(path: action),
            headers: headers + [(name: "Authorization", value: "Bearer \(token)")])
    }
}
