import Foundation
import WireFormats

/// The HTTP requests of a device to its space.
struct SyncConnection: Sendable {
    private let base: URL
    private let transport: any Transport

    init(_ endpoint: SyncEndpoint, app: String, transport: any Transport) {
        base = endpoint.server.appending(
            path: String(Endpoint.space.path(app: app, space: endpoint.space).dropFirst()))
        self.transport = transport
    }

    /// Sends a request to the space, and returns the answer.
    ///
    /// - Throws: `SyncFailure.unreachable`. The server may have processed the request nevertheless.
    func send(_ request: SyncRequest, token: String) async throws -> TransportAnswer {
        var message = message(request.method, request.action, request.headers, token)
        if !request.query.isEmpty {
            message.url.append(queryItems: request.query.map { URLQueryItem(name: $0.name, value: $0.value) })
        }
        if let body = request.body {
            message.headers.append(("Content-Type", MediaType.json))
            message.body = body
        }
        return try await transport.send(message)
    }

    /// Returns a stream of the heads (numbers of the space's latest change) that the server reports. It ends with the
    /// connection, or when the task is cancelled.
    func heads(_ headers: [(name: String, value: String)], token: String) -> AsyncStream<Int64> {
        transport.heads(message("GET", SpaceAction.events, headers, token))
    }

    private func message(
        _ method: String, _ action: String, _ headers: [(name: String, value: String)], _ token: String
    ) -> TransportRequest {
        TransportRequest(
            method: method, url: base.appending(path: action),
            headers: headers + [(name: HeaderName.authorization, value: "Bearer \(token)")])
    }
}
