package import Foundation
import SyncClient
import SyncEngine
import SyncServer
package import WireFormats

/// A test of all ordered pairs of an app's versions against one server.
package struct CompatRun: Sendable {
    package let plan: Plan
    package let endpoint: (server: URL, space: String, token: String)
    package let seed: UInt64
    /// For each version, the command that starts a build of it. Versions without one are tested without a build.
    package let clients: [Int: String]

    package init(
        plan: Plan, server: URL, space: String, token: String, seed: UInt64, clients: [Int: String] = [:]
    ) {
        self.plan = plan
        endpoint = (server, space, token)
        self.seed = seed
        self.clients = clients
    }

    /// Tests every writing version with every reading version, one pair after the other.
    ///
    /// - Parameters:
    ///   - writers: the versions that write, as indices in the plan's `shapes`.
    ///   - readers: the versions that read.
    ///   - report: called after each pair, with its result, the number of pairs that were tested, and the number of all
    ///     pairs.
    package func run(
        writers: [Int], readers: [Int], report: (CompatOutcome, _ done: Int, _ all: Int) -> Void = { _, _, _ in }
    ) async throws -> [CompatOutcome] {
        // All pairs share the space. Each version's cursor is kept, so that no device reads records of earlier pairs.
        var positions: [Int: String] = [:]
        let clock = HybridClock()
        var outcomes: [CompatOutcome] = []
        for writer in writers {
            for reader in readers {
                func plain(_ role: String, _ version: Int) async throws -> PlainDevice {
                    var device = PlainDevice(
                        role: role, version: version, client: client(of: version), cursor: positions[version])
                    try await device.pull()
                    positions[version] = device.cursor
                    return PlainDevice(role: role, version: version, client: device.client, cursor: device.cursor)
                }
                var pair = try await CompatPair(
                    plan, writer: writer, reader: reader, seed: pairSeed(writer, reader), clock: clock,
                    makePlain: plain
                ) { role, version in
                    guard let command = clients[version] else { return try await plain(role, version) }
                    return try await started(command, role, version)
                }
                outcomes.append(await pair.run())
                report(outcomes[outcomes.count - 1], outcomes.count, writers.count * readers.count)
            }
        }
        return outcomes
    }

    /// Checks that each build answers commands as docs/testing-your-builds.md describes. If this was not checked first,
    /// a build with such an error would make every test of its version fail.
    ///
    /// - Throws: `CompatFailure` for the first build that does not answer so.
    package func checkClients() async throws {
        for (version, command) in clients.sorted(by: { $0.key < $1.key }) {
            var witness = PlainDevice(role: "witness", version: version, client: client(of: version), cursor: nil)
            try await witness.pull()
            var check = ClientCheck(
                plan: plan, version: version, seed: seed, witness: witness,
                client: try ClientProcess(command, name: plan.name(of: version).description))
            try await check.run(greeting(version))
        }
    }

    /// Starts a build of the app in a new folder, and lets it pull all existing records.
    ///
    /// - Parameters:
    ///   - command: the command that starts the build.
    ///   - role: the name of the device in error messages, such as `writer`.
    private func started(_ command: String, _ role: String, _ version: Int) async throws -> DrivenDevice {
        let process = try ClientProcess(command, name: plan.name(of: version).description)
        try await process.start()
        _ = try await process.ask("hello", greeting(version))
        var device = DrivenDevice(role: role, version: version, schema: plan.shapes[version], process: process)
        try await device.pull()
        return device
    }

    private func greeting(_ version: Int) -> [(String, String)] {
        [
            ("app", plan.app), ("version", "\(plan.shapes[version].version)"), ("url", endpoint.server.absoluteString),
            ("space", endpoint.space), ("token", endpoint.token),
        ]
    }

    /// Returns the seed for the test of two versions. Each pair of versions has its own seed, so that a pair that
    /// failed can be tested again without the others.
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
