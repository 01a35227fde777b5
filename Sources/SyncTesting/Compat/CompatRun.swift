package import Foundation
import SyncClient
import SyncServer
package import WireFormats

/// All ordered pairs of an app's versions against one server.
package struct CompatRun: Sendable {
    package let plan: Plan
    package let endpoint: (server: URL, space: String, token: String)
    package let seed: UInt64

    package init(plan: Plan, server: URL, space: String, token: String, seed: UInt64) {
        self.plan = plan
        endpoint = (server, space, token)
        self.seed = seed
    }

    /// Runs every pair, one after the other, writers in the outer loop.
    ///
    /// - Parameter report: called after each pair.
    package func run(
        writers: [Int], readers: [Int], report: (CompatOutcome, _ done: Int, _ all: Int) -> Void = { _, _, _ in }
    ) async throws -> [CompatOutcome] {
        // All pairs share the space. Each version's position in it is kept, so that no device reads what earlier pairs
        // left.
        var positions: [Int: String] = [:]
        let clock = HybridClock()
        var outcomes: [CompatOutcome] = []
        for writer in writers {
            for reader in readers {
                var pair = try await CompatPair(
                    plan, writer: writer, reader: reader, seed: pairSeed(writer, reader), clock: clock
                ) { (role, version) throws(SyncFailure) in
                    var device = CompatDevice(
                        role: role, version: version, client: client(of: version), cursor: positions[version])
                    try await device.pull()
                    positions[version] = device.cursor
                    return CompatDevice(role: role, version: version, client: device.client, cursor: device.cursor)
                }
                outcomes.append(await pair.run())
                report(outcomes[outcomes.count - 1], outcomes.count, writers.count * readers.count)
            }
        }
        return outcomes
    }

    /// Each pair has its own seed, so that one that failed can be run by itself.
    private func pairSeed(_ writer: Int, _ reader: Int) -> UInt64 {
        seed &+ UInt64(writer * plan.shapes.count + reader) &* 0x9e37_79b9_7f4a_7c15
    }

    private func client(of version: Int) -> SpaceClient {
        SpaceClient(
            endpoint: SpaceEndpoint(
                server: endpoint.server, app: plan.app, space: endpoint.space, token: endpoint.token),
            schema: plan.shapes[version], device: .random())
    }
}
