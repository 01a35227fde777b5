import PGStore
import Postgres
import SyncSimulator
import SyncTestSupport
import WireFormats

/// A request of the fleet's on its way.
struct FleetExchange: Sendable {
    let action: FleetAction
    let sender: FleetMember
    let target: FleetTarget
    let token: FleetToken
    let port: Int
    private var begun: ContinuousClock.Instant?

    init(_ action: FleetAction, _ sender: FleetMember, _ target: FleetTarget, _ token: FleetToken, port: Int) {
        (self.action, self.sender, self.target, self.token, self.port) = (action, sender, target, token, port)
    }

    private var path: String { "/v1/apps/fitiq/\(action.path(target))" }
    private var headers: [String] {
        ["Authorization: Bearer \(token.text)", "Content-Type: application/json", "Schema-Version: 0.1.1"]
    }

    /// Sends it at once.
    func completed(_ client: TestClient) async throws -> FleetRequest {
        let (sent, sentAt) = (ContinuousClock.now, Timestamp.now)
        let reply = try await client.request(action.method, path, headers: headers, body: action.body?.bytes)
        return request(sent, sentAt, status: reply.status, body: reply.body)
    }

    /// Sends all but its last byte; with a body, if need be, of which nobody asks anything.
    mutating func began() async throws -> HeldRequest {
        begun = .now
        let bytes = HTTPConnection.request(action.method, path, headers: headers, body: slowBody)
        let connection = HeldRequest(port: port)
        try await connection.send(bytes.dropLast())
        return connection
    }

    /// Sends the rest.
    func ended(_ connection: HeldRequest) async throws -> FleetRequest {
        let (sent, sentAt) = (ContinuousClock.now, Timestamp.now)
        try await connection.send(Array(slowBody.suffix(1)))
        let reply = try await connection.reply()
        return request(sent, sentAt, status: reply.status, body: reply.body)
    }

    private var slowBody: [UInt8] { (action.body ?? [:]).bytes }

    private func request(
        _ sent: ContinuousClock.Instant, _ sentAt: Timestamp, status: Int, body: [UInt8]
    ) -> FleetRequest {
        let answer = (try? JSONValue(parsing: body)) ?? .null
        var listed: Set<ID> = []
        if case .listSpaces = action {
            listed = Set(answer["spaces"].elements.compactMap { $0["space"].uuid })
        }
        var target = target
        if case .accept(let offer) = action { target = .space(offer.space) }
        return FleetRequest(
            action: action, sender: sender.subject, target: target, token: token, begun: begun ?? sent, sent: sent,
            answered: .now, sentAt: sentAt, answeredAt: .now, port: port, status: status, answer: answer,
            listed: listed)
    }
}
