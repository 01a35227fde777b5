import SyncTestSupport
import Testing
import WireFormats

/// Small random histories: pushes of several changes of the same few records, with and without stamps, that lose
/// against each other. Whoever pulls then ends with what everybody reads, and what arrives again changes nothing.
@Suite struct MixedPushTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6, UInt64.random(in: 7 ... .max)])
    func everyDeviceEndsWithWhatEverybodyReads(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        try await withTestServer { server in
            for round in 0..<12 {
                let space = ID.random()
                let token = try await server.makeToken(spaces: [space])
                var history = MixedHistory(server, space, token: token)
                for _ in 0..<10 { try await history.step(using: &random) }
                let view = try await history.settle(server, space, token: token)
                for difference in try await history.differences(from: view) {
                    Issue.record("seed \(seed), round \(round): \(difference)\n\(history.story)")
                }
                try await history.repeatAll(using: &random)
                let again = try await history.settle(server, space, token: token)
                #expect(again == view, "seed \(seed), round \(round), again:\n\(history.story)")
            }
        }
    }
}

/// Three devices that share four records.
private struct MixedHistory {
    private var devices: [VerdictDevice] = []
    private var sent: [(device: Int, changes: [JSONValue], cursor: String?)] = []
    private(set) var story = ""
    private var clock: Int64 = 0

    private static let reference = "dietaryAndActivityPreferences"
    private static let preferences = (0..<2).map { ID(high: 1, low: UInt64($0)) }
    private static let profiles = (0..<2).map { ID(high: 2, low: UInt64($0)) }

    init(_ server: TestServer, _ space: ID, token: String) {
        for _ in 0..<3 { devices.append(VerdictDevice(server.device(space: space, token: token), server.plan)) }
    }

    mutating func step(using random: inout SplitMix64) async throws {
        let index = devices.indices.randomElement(using: &random)!
        if Int.random(in: 0..<3, using: &random) == 0 { try await devices[index].pull() }
        let changes = (0..<Int.random(in: 1...4, using: &random)).map { _ in change(using: &random) }
        sent.append((index, changes, devices[index].cursor))
        let verdicts = try await devices[index].push(changes)
        story += "device \(index): \(zip(changes, verdicts).map { "\($0) \($1)" })\n"
    }

    private mutating func change(using random: inout SplitMix64) -> JSONValue {
        clock += 1
        let isStamped = Int.random(in: 0..<3, using: &random) > 0
        let stamp = isStamped ? moment(Int64.random(in: 0..<40, using: &random) * 1000 + clock) : nil
        let isProfile = Bool.random(using: &random)
        let (entity, ids) =
            isProfile
            ? ("SDUserProfileV11", MixedHistory.profiles)
            : ("SDDietaryAndActivityPreferences", MixedHistory.preferences)
        let id = ids.randomElement(using: &random)!
        var fields: [String: JSONValue] = [:]
        if isProfile {
            let target = MixedHistory.preferences.randomElement(using: &random)!
            if Bool.random(using: &random) {
                fields[MixedHistory.reference] = Bool.random(using: &random) ? .null : .id(target)
            }
            if Bool.random(using: &random) { fields["name"] = .string("\(Int.random(in: 0..<2, using: &random))") }
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .delete(entity, id, at: stamp)
        case 1, 2: return .update(entity, id, fields, at: stamp)
        default: return .create(entity, id, fields, at: stamp)
        }
    }

    /// Every request once more, as it was, in any order. What has no stamp is another edit each time, and left out.
    mutating func repeatAll(using random: inout SplitMix64) async throws {
        for (index, changes, cursor) in sent.shuffled(using: &random) {
            let stamped = changes.filter { !$0["stamp"].isNull }
            story += "again, device \(index): \(stamped)\n"
            try await devices[index].line.send(stamped, cursor: cursor)
        }
    }

    /// Lets all pull, and returns what a new device receives.
    mutating func settle(_ server: TestServer, _ space: ID, token: String) async throws -> TestDevice.Store {
        for index in devices.indices { try await devices[index].pull() }
        let new = server.device(space: space, token: token)
        try await new.pullAll()
        return await new.store.filter { !$0.value.isEmpty }
    }

    func differences(from view: TestDevice.Store) async throws -> [String] {
        var found: [String] = []
        for (index, device) in devices.enumerated() {
            let (careful, plain) = (device.store, await device.line.store.filter { !$0.value.isEmpty })
            if careful != view { found.append("device \(index) holds \(careful), not \(view)") }
            if plain != view { found.append("device \(index), which keeps its edits, holds \(plain), not \(view)") }
        }
        return found
    }
}

/// A device that keeps apart what the server sent, and takes of its own edits what the verdicts say took effect; and
/// beside it, over the same line, one that keeps all of its edits until it is sent other values.
private struct VerdictDevice {
    let line: TestDevice
    private let plan: Plan
    private var base: TestDevice.Store = [:]
    private(set) var cursor: String?

    init(_ line: TestDevice, _ plan: Plan) {
        (self.line, self.plan) = (line, plan)
    }

    var store: TestDevice.Store { base.filter { !$0.value.isEmpty } }

    mutating func pull() async throws {
        for record in try await line.pullAll() {
            guard let entity = record["entity"].string, let id = record["id"].string else { continue }
            base[entity, default: [:]][id] = record["op"] == "delete" ? nil : record["fields"].members
        }
        cursor = await line.cursor
    }

    mutating func push(_ changes: [JSONValue]) async throws -> [String] {
        let answer = try await line.push(changes)
        for (index, (change, verdict)) in zip(changes, answer.verdicts).enumerated()
        where verdict != "superseded" && verdict != "rejected" {
            take(change, kept: answer.kept[index] ?? [])
        }
        cursor = await line.cursor
        return answer.verdicts
    }

    private mutating func take(_ change: JSONValue, kept: [String]) {
        guard let entity = change["entity"].string, let id = change["id"].string else { return }
        switch change["op"] {
        case "delete": base[entity]?[id] = nil
        case "create" where base[entity]?[id] == nil:
            base[entity, default: [:]][id] = defaults(of: entity)
        default: break
        }
        for (name, value) in change["fields"].members where !kept.contains(name) { base[entity]?[id]?[name] = value }
    }

    private func defaults(of entity: String) -> [String: JSONValue] {
        let index = ShapeName(line.version).flatMap { plan.index(of: $0) }
        guard let projection = index.flatMap({ plan.projection(version: $0, named: entity) }) else { return [:] }
        let values = zip(projection.fields, projection.assumed([])).compactMap { field, value in
            value.map { (field.name, JSONValue($0)) }
        }
        return Dictionary(uniqueKeysWithValues: values)
    }
}
