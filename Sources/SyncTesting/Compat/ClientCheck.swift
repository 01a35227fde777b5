import StrictJSON
import SyncClient
import SyncEngine
import SyncServer
import WireFormats

/// A check of one build of an app. The build must answer commands as docs/testing-your-builds.md describes, and fulfil
/// the basic duties of a device: an edit is visible at once and needs no network, survives the end of the process, and
/// reaches the server.
struct ClientCheck {
    let plan: Plan
    let version: Int
    /// A second device of the same version, which reads from the server what the tested app has pushed.
    private var witness: PlainDevice
    private let client: ClientProcess
    private let clock = HybridClock()
    private var random: SplitMix64
    private var step = ""

    init(plan: Plan, version: Int, seed: UInt64, witness: PlainDevice, client: ClientProcess) {
        self.plan = plan
        self.version = version
        self.witness = witness
        self.client = client
        random = SplitMix64(seed: seed)
    }

    /// Runs all steps of the check.
    ///
    /// - Parameter greeting: the names and values of the members of the JSON line `hello`, with which the build is
    ///   started.
    /// - Throws: `CompatFailure` at the first fault.
    mutating func run(_ greeting: [(String, String)]) async throws {
        do {
            try await check(greeting)
        } catch let misstep as ClientProcess.Misstep {
            throw CompatFailure(
                step: "check of the client of \(plan.name(of: version)): \(step)", detail: misstep.description,
                requests: [])
        }
    }

    private mutating func check(_ greeting: [(String, String)]) async throws {
        step = "hello"
        try await client.start()
        let name = try await client.ask("hello", greeting).root["client"]?.string
        try require(name?.isEmpty == false, "‘hello’ is to be answered with ‘client’, a name")
        step = "a word that there is not"
        try require(try await client.refuses("dance"), "it is to be answered with ok: false")
        guard let change = creation() else { return }
        let key = CompatKey(entity: change.entity, id: change.id)
        var device = DrivenDevice(role: "client", version: version, schema: plan.shapes[version], process: client)

        step = "an edit"
        try await device.edit([change])
        try await device.look()
        try require(device.store[key] != nil, "its user does not see it at once")
        try await witness.pull()
        try require(witness.store[key] == nil, "it went to the server without ‘sync’")
        step = "an edit, and the end of the process"
        try await restart(greeting)
        try await device.look()
        try require(device.store[key] != nil, "it is lost, though the edit was answered")
        step = "a sync while the server is away"
        try await restart(greeting.map { $0.0 == "url" ? ($0.0, ClientCheck.nowhere) : $0 })
        try require(try await client.refuses("sync"), "it is to be answered with ok: false")
        try await device.look()
        try require(device.store[key] != nil, "its edit is lost")
        step = "a sync"
        try await restart(greeting)
        if let first = try await device.push([]).first {
            try require(false, "\(first.verdict) \(first.code ?? ""): \(first.detail ?? "")")
        }
        try await witness.pull()
        try require(witness.store[key] != nil, "the edit did not arrive")

        if let seen = witness.stamps.values.max() { clock.observe(seen) }
        step = "other devices' records"
        for _ in 1...ClientCheck.recordsOfOthers {
            guard let other = creation(clock.next()) else { break }
            _ = try await witness.push([other])
            try await device.pull()
            let arrived = device.store[CompatKey(entity: other.entity, id: other.id)] != nil
            try require(arrived, "one of them did not arrive")
        }
        step = "another device's deletion"
        let deletion = OutgoingChange(
            entity: change.entity, id: change.id, operation: .delete, stamp: clock.next())
        _ = try await witness.push([deletion])
        try await device.pull()
        try require(device.store[key] == nil, "it did not arrive")
        step = "stop"
        try require(try await client.stop() == 0, "it is to end, with exit status 0")
    }

    private func require(_ holds: Bool, _ otherwise: String) throws(ClientProcess.Misstep) {
        if !holds { throw ClientProcess.Misstep(description: otherwise) }
    }

    /// Kills the app's process, and starts it again in the same folder.
    ///
    /// - Parameter greeting: the members of the command `hello`, which the new process receives.
    private func restart(_ greeting: [(String, String)]) async throws {
        await client.kill()
        try await client.start()
        _ = try await client.ask("hello", greeting)
    }

    /// A URL at which no server answers. Port 9 is reserved for the discard protocol.
    private static let nowhere = "http://127.0.0.1:9"
    /// The number of records that another device writes for the tested app to receive. With only one record, an app
    /// that sometimes loses a page could pass by luck.
    private static let recordsOfOthers = 5

    /// Returns a change that creates a record with random values and null references.
    ///
    /// It uses the first entity whose ids are UUIDs, and that is no singleton and has no unique attributes. Returns
    /// `nil` if there is no such entity.
    private mutating func creation(_ stamp: Stamp? = nil) -> OutgoingChange? {
        for projection in plan.projections[version].compactMap(\.self) {
            let entity = plan.hub.entities[projection.entity]
            guard entity.singleton == nil, entity.uniqueColumns.isEmpty, projection.identityType != .string,
                let generator = RecordGenerator(plan, of: projection.name, in: projection.version)
            else { continue }
            var fields: [(name: String, value: Value)] = []
            for (index, field) in projection.fields.enumerated() {
                if case .reference = field.type.kind {
                    fields.append((field.name, .null))
                } else {
                    fields.append((field.name, generator.value(index, using: &random)))
                }
            }
            return OutgoingChange(
                entity: projection.name, id: ID.random(), operation: .create, stamp: stamp, fields: fields)
        }
        return nil
    }
}
