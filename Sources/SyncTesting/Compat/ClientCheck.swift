import SyncClient
import SyncServer
import WireFormats

/// Whether a client keeps to the lines, and to what every device must: an edit is there at once and needs no network,
/// it outlives the process, and it arrives.
struct ClientCheck {
    let plan: Plan
    let version: Int
    let seed: UInt64
    var witness: PlainDevice
    let client: ClientProcess

    /// - Parameter greeting: members of `hello`.
    /// - Throws: `CompatFailure`.
    mutating func run(_ greeting: [(String, String)]) async throws {
        var step = "hello"
        do {
            try await client.start()
            guard try await client.ask("hello", greeting).root["client"]?.string?.isEmpty == false else {
                throw ClientProcess.Misstep(description: "‘hello’ is to be answered with ‘client’, a name")
            }
            step = "a word that there is not"
            guard try await client.refuses("dance") else {
                throw ClientProcess.Misstep(description: "it is to be answered with ok: false")
            }
            guard let change = creation() else { return }
            let key = CompatKey(entity: change.entity, id: change.id)
            var device = DrivenDevice(
                role: "client", version: version, schema: plan.shapes[version], process: client)
            step = "an edit"
            try await device.edit([change])
            try await expect(key, in: &device, "its user does not see it at once")
            try await witness.pull()
            if witness.store[key] != nil {
                throw ClientProcess.Misstep(description: "it went to the server without ‘sync’")
            }
            step = "an edit, and the end of the process"
            await client.kill()
            try await client.start()
            _ = try await client.ask("hello", greeting)
            try await expect(key, in: &device, "it is lost, though the edit was answered")
            step = "a sync while the server is away"
            await client.kill()
            try await client.start()
            _ = try await client.ask("hello", greeting.map { $0.0 == "url" ? ($0.0, ClientCheck.nowhere) : $0 })
            guard try await client.refuses("sync") else {
                throw ClientProcess.Misstep(description: "it is to be answered with ok: false")
            }
            try await expect(key, in: &device, "its edit is lost")
            step = "a sync"
            await client.kill()
            try await client.start()
            _ = try await client.ask("hello", greeting)
            let refused = try await device.push([])
            if let first = refused.first {
                throw ClientProcess.Misstep(description: "\(first.verdict) \(first.code ?? ""): \(first.detail ?? "")")
            }
            try await witness.pull()
            if witness.store[key] == nil {
                throw ClientProcess.Misstep(description: "the edit did not arrive")
            }
            step = "other devices' records"
            for _ in 1...ClientCheck.recordsOfOthers {
                guard let other = creation(nextStamp()) else { break }
                _ = try await witness.push([other])
                try await device.pull()
                if device.store[CompatKey(entity: other.entity, id: other.id)] == nil {
                    throw ClientProcess.Misstep(description: "one of them did not arrive")
                }
            }
            step = "another device's deletion"
            let deletion = OutgoingChange(
                entity: change.entity, id: change.id, operation: .delete, stamp: nextStamp())
            _ = try await witness.push([deletion])
            try await device.pull()
            if device.store[key] != nil { throw ClientProcess.Misstep(description: "it did not arrive") }
            step = "stop"
            guard try await client.stop() == 0 else {
                throw ClientProcess.Misstep(description: "it is to end, with exit status 0")
            }
        } catch let misstep as ClientProcess.Misstep {
            let name = plan.name(of: version)
            throw CompatFailure(
                step: "check of the client of \(name): \(step)", detail: misstep.description, requests: [])
        }
    }

    private func expect(_ key: CompatKey, in device: inout DrivenDevice, _ otherwise: String) async throws {
        try await device.look()
        if device.store[key] == nil { throw ClientProcess.Misstep(description: otherwise) }
    }

    /// Where nobody listens: port 9 is for discarding, and no ordinary process may have it.
    private static let nowhere = "http://127.0.0.1:9"
    /// More than a client takes in by luck that loses a page now and then.
    private static let recordsOfOthers = 5

    /// Later than what the witness knows of.
    private func nextStamp() -> Stamp {
        let now = HybridClock().next()
        return max(now, witness.stamps.values.max().map { Stamp(unchecked: $0.rawValue + 1) } ?? now)
    }

    /// A record of the first entity that refers to nothing that must be there.
    private func creation(_ stamp: Stamp? = nil) -> OutgoingChange? {
        var random = SplitMix64(seed: seed)
        for projection in plan.projections[version].compactMap(\.self) {
            let entity = plan.hub.entities[projection.entity]
            guard entity.singleton == nil, projection.identityType != .string,
                let generator = RecordGenerator(plan, of: projection.name, in: projection.version)
            else { continue }
            var fields: [(name: String, value: Value)] = []
            for (place, field) in projection.fields.enumerated() {
                if case .reference = field.type.kind { fields.append((field.name, .null)); continue }
                fields.append((field.name, generator.value(place, using: &random)))
            }
            return OutgoingChange(
                entity: projection.name, id: ID.random(), operation: .create, stamp: stamp, fields: fields)
        }
        return nil
    }
}
