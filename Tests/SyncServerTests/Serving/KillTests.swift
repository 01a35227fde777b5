import SyncTestSupport
import SyncTesting
import Synchronization
import Testing
import WireFormats

/// Promises P1 and P4 under `kill -9` of the real process.
@Suite struct KillTests {
    private static let killsMax = 50

    @Test func whatWasAcknowledgedSurvivesFiftyKillsAndARetryChangesNothing() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        try await withTestServer { server in
            var clients = ["0.0.7", "0.0.9", "0.1.1"].map { KilledClient(version: $0, seed: random.next()) }
            var outcomes: [KilledClient.Outcome: Int] = [:]
            for _ in 1...KillTests.killsMax {
                let process = ServerProcess()
                let port = try await process.start(server.database.servingConnectionString)
                // One after the other, so that each sees its own numbers only.
                for index in clients.indices {
                    let outcome = try await clients[index].retry(server, port: port)
                    outcomes[outcome, default: 0] += 1
                }
                let delay = Duration.microseconds(Int.random(in: 0...30_000, using: &random))
                clients = try await withThrowingTaskGroup(of: KilledClient.self) { group in
                    for client in clients { group.addTask { await client.pushed(to: server, port: port) } }
                    // Not to wait for anything: the moment of the kill is the test's input.
                    try await Task.sleep(for: delay)
                    await process.kill9()
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            var expected: [String: JSONValue] = [:]
            for client in clients { expected.merge(client.acknowledged) { $1 } }
            let stored = try await server.view("0.1.1")["SDMeal"] ?? [:]
            let pending = Set(clients.flatMap { client in client.pending.compactMap { $0["id"].string } })
            for (id, notes) in expected where !pending.contains(id) {
                #expect(stored[id]?["notes"] == notes, "seed \(seed)")
            }
            print("kills: seed \(seed), \(expected.count) records, \(outcomes)")
            // Otherwise the kills did not hit what they were aimed at.
            #expect(outcomes[.wasCommitted, default: 0] + outcomes[.wasNot, default: 0] >= 10)
        }
    }
}

/// A client that pushes one batch after another until the server is gone, and retries the one that was not answered.
private struct KilledClient: Sendable {
    enum Outcome: Hashable, Sendable {
        case nothingToRetry
        /// The push was answered, or its answer was lost.
        case wasCommitted
        case wasNot
    }

    let version: String
    var random: SplitMix64
    let device = ID.random()
    /// The notes of each record, as they were acknowledged last.
    private(set) var acknowledged: [String: JSONValue] = [:]
    /// The batch that has no answer yet.
    private(set) var pending: [JSONValue] = []
    private var lastAnswered: [JSONValue] = []
    private var count: Int64 = 0

    init(version: String, seed: UInt64) {
        self.version = version
        random = SplitMix64(seed: seed)
    }

    /// Pushes until the connection breaks.
    func pushed(to server: TestServer, port: Int) async -> KilledClient {
        var next = self
        let device = next.connected(server, port)
        while true {
            next.pending = next.batch()
            do {
                let answer = try await device.send(next.pending)
                guard answer.verdicts.allSatisfy({ $0 == "applied" }) else {
                    Issue.record("a new batch was not applied: \(answer)")
                    return next
                }
            } catch {
                return next
            }
            next.acknowledge()
        }
    }

    /// Sends what has no answer again, twice, and what was answered last: all of it is there or nothing, and what is
    /// there changes nothing.
    mutating func retry(_ server: TestServer, port: Int) async throws -> Outcome {
        let device = connected(server, port)
        if !lastAnswered.isEmpty {
            let before = try await device.send([]).head
            let again = try await device.send(lastAnswered)
            #expect(again.verdicts.allSatisfy { $0 == "unchanged" } && again.head == before, "\(again)")
        }
        if pending.isEmpty { return .nothingToRetry }
        let before = try await device.send([]).head
        let first = try await device.send(pending)
        let isThere = first.verdicts.allSatisfy { $0 == "unchanged" }
        #expect(isThere || first.verdicts.allSatisfy { $0 == "applied" }, "half a batch: \(first.verdicts)")
        #expect(first.head == before + (isThere ? 0 : Int64(pending.count)))
        let second = try await device.send(pending)
        #expect(second.verdicts.allSatisfy { $0 == "unchanged" } && second.head == first.head, "\(second)")
        acknowledge()
        return isThere ? .wasCommitted : .wasNot
    }

    private func connected(_ server: TestServer, _ port: Int) -> TestDevice {
        TestDevice(
            client: TestClient(port: port), path: server.path(), token: server.token, plan: server.plan,
            version: version,
            id: device)
    }

    private mutating func acknowledge() {
        for change in pending {
            if let id = change["id"].string { acknowledged[id] = change["fields"]["notes"] }
        }
        lastAnswered = pending
        pending = []
    }

    /// New records, and edits of older ones that the last batch did not touch.
    private mutating func batch() -> [JSONValue] {
        let fresh = Set(lastAnswered.compactMap { $0["id"].string })
        let known = acknowledged.keys.filter { !fresh.contains($0) }.sorted().shuffled(using: &random).prefix(2)
        var changes: [JSONValue] = []
        for _ in 0..<3 {
            count += 1
            changes.append(.create("SDMeal", .random(), ["notes": .string("\(version) \(count)")], at: moment(count)))
        }
        for text in known {
            guard let id = ID(text) else { continue }
            count += 1
            changes.append(.update("SDMeal", id, ["notes": .string("\(version) \(count)")], at: moment(count)))
        }
        return changes
    }
}
