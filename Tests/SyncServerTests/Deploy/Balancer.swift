import SyncTestSupport
import Synchronization

/// A balancer before the servers of a deploy: each request goes to the next, and is sent again where that one
/// is gone, or says that it must be sent again.
final class Balancer: Requesting {
    private let state = Mutex(State())

    private struct State {
        var clients: [(port: Int, client: TestClient)] = []
        var next = 0
        var answered: [Int: Int] = [:]
        var outdated = 0
        var lost = 0
    }

    /// More, and nobody takes it.
    private static let attemptsMax = 200

    /// No server takes the request.
    struct GivenUp: Error {
        let last: TestReply?
    }

    func point(to ports: [Int]) {
        let clients = ports.map { ($0, TestClient(port: $0)) }
        state.withLock { $0.clients = clients }
    }

    /// The requests that each port has answered, and those sent again, by reason.
    var tally: (answered: [Int: Int], outdated: Int, lost: Int) {
        state.withLock { ($0.answered, $0.outdated, $0.lost) }
    }

    func request(
        _ method: String, _ target: String, headers: [String], body: [UInt8]?
    ) async throws -> TestReply {
        var last: TestReply?
        for _ in 1...Balancer.attemptsMax {
            let (port, client) = state.withLock { state in
                state.next += 1
                return state.clients[state.next % state.clients.count]
            }
            do {
                let reply = try await client.request(method, target, headers: headers, body: body)
                last = reply
                // A device may be of the new version already, and the server not.
                if !reply.isProblem(503, "server-outdated"), !reply.isProblem(409, "schema-unknown") {
                    state.withLock { $0.answered[port, default: 0] += 1 }
                    return reply
                }
                state.withLock { $0.outdated += 1 }
            } catch {
                state.withLock { $0.lost += 1 }
                await Task.yield()
            }
        }
        throw GivenUp(last: last)
    }
}
