import StrictJSON
import SyncClient
import SyncSimulator
import WireFormats

extension ClientFleet {
    private typealias View = [CompatKey: [String: Value]]

    /// The number of times that each device syncs at a check, without faults.
    ///
    /// The first time, it sends its changes. The second time, it receives the changes of other devices. These may lead
    /// to further changes, which it receives the third time.
    private static let calmRounds = 3
    /// The maximum number of tries of one sync. A server that has just started is busy for a moment, so the first tries
    /// may fail.
    private static let calmTries = 20
    /// The maximum number of differences that a failure lists.
    private static let shownMax = 5

    /// Lets every device send and read everything, and then checks its records. Each device must show the same records
    /// as a new device of its version.
    ///
    /// It must also show the values that it has written itself, in the records that no other device edits.
    func check() async throws {
        for _ in 0..<ClientFleet.calmRounds {
            for number in devices.indices { try await syncInCalm(number) }
        }
        var fresh: [Int: View] = [:]
        for number in devices.indices {
            let version = devices[number].version
            if fresh[version] == nil { fresh[version] = try await freshView(of: version) }
            let view = try await view(of: devices[number])
            try compare(view, fresh[version] ?? [:], devices[number])
            try findOwn(view, number)
            learn(view, number)
        }
        tally.checks += 1
    }

    func syncInCalm(_ number: Int) async throws {
        for _ in 0..<ClientFleet.calmTries {
            guard let answer = try await devices[number].process.answer("sync") else { continue }
            devices[number].note(refusedIn: answer.root)
            return
        }
        let detail = try await devices[number].process.refusal("sync") ?? ""
        throw failure("device \(number) cannot sync, though all is calm: \(detail)\n\(site.lastWords)")
    }

    /// Returns the records that a new device of the version shows after its first sync.
    private func freshView(of version: Int) async throws -> View {
        var device = try newDevice(version, number: devices.count)
        device.process = try ClientProcess(setting.clients[version] ?? "", name: plan.name(of: version).description)
        try await device.process.start()
        _ = try await device.process.ask("hello", greeting(version, port: site.ports.first ?? 0))
        try await device.process.ask("sync")
        let view = try await view(of: device)
        _ = try await device.process.stop()
        return view
    }

    private func view(of device: FleetDevice) async throws -> View {
        var driven = DrivenDevice(
            role: "device \(device.number)", version: device.version, schema: plan.shapes[device.version],
            process: device.process)
        try await driven.look()
        return driven.store
    }

    private func compare(_ view: View, _ fresh: View, _ device: FleetDevice) throws {
        var differences: [String] = []
        for key in Set(view.keys).union(fresh.keys) where view[key] != fresh[key] {
            guard let here = view[key], let there = fresh[key] else {
                differences.append("\(key.entity) \(key.id) is \(view[key] == nil ? "missing" : "not in the space")")
                continue
            }
            for (name, value) in there where here[name] != value {
                differences.append(
                    "\(key.entity) \(key.id): \(name) is \(here[name]?.brief ?? "missing"), and \(value.brief) "
                        + "for a new one"
                )
            }
        }
        if differences.isEmpty { return }
        throw failure(
            "device \(device.number) of \(plan.name(of: device.version)) and a new one differ:\n"
                + differences.sorted().prefix(ClientFleet.shownMax).joined(separator: "\n"))
    }

    private func findOwn(_ view: View, _ number: Int) throws {
        let device = devices[number]
        for (entity, records) in device.own {
            guard let projection = plan.projections[device.version][entity] else { continue }
            for (id, own) in records {
                tally.own += 1
                let found = view[CompatKey(entity: projection.name, id: id)]
                guard let found else {
                    if own.isDeleted || own.hasLost { continue }
                    throw failure("device \(number) has lost \(projection.name) \(id), which it alone wrote")
                }
                if own.isDeleted { throw failure("\(projection.name) \(id) is back, which device \(number) deleted") }
                for (name, value) in own.fields {
                    guard let field = projection.field(named: name).map({ projection.fields[$0] }) else { continue }
                    if case .reference = field.type.kind { continue }
                    guard found[name] != value else { continue }
                    throw failure(
                        "device \(number) of \(plan.name(of: device.version)) wrote \(value.brief) into \(name) of "
                            + "\(projection.name) \(id), and finds \(found[name]?.brief ?? "nothing")")
                }
            }
        }
    }

    /// Replaces the list of records that the device's user may edit by the records in `view`.
    ///
    /// - Parameter number: the device's index in the fleet.
    private func learn(_ view: View, _ number: Int) {
        devices[number].seen = [:]
        for key in view.keys.sorted(by: { $0.id.text < $1.id.text }) {
            guard let entity = plan.projection(version: devices[number].version, named: key.entity)?.entity else {
                continue
            }
            devices[number].seen[entity, default: []].append(key.id)
        }
    }

    private func failure(_ detail: String) -> CompatFailure {
        CompatFailure(step: "fleet, after \(tally.steps) steps of seed \(setting.seed)", detail: detail, requests: [])
    }
}
