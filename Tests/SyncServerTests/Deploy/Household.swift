import SyncModel
import SyncTestSupport
import Testing
import WireFormats

/// A space and its devices of several versions, one request after the other, so that the order is known in which the
/// server took what they said.
struct Household: Sendable {
    private let plan: Plan
    private let balancer: Balancer
    private let path: String
    private let token: String
    private var models: SpaceModels
    private var fleet: ModelFleet
    private var random: SplitMix64
    /// By version.
    private var devices: [Int: TestDevice] = [:]
    /// The number with which each version's device last received each record.
    private var lastReceived: [String: [String: Int64]] = [:]
    private var created: Set<ID> = []
    private(set) var changes = 0
    private(set) var records = 0

    init(_ declaration: any SchemaMigrationPlan.Type, _ balancer: Balancer, space: ID, token: String, seed: UInt64)
        throws
    {
        plan = try Plan(declaration)
        models = SpaceModels(try SpaceModel(declaration))
        fleet = ModelFleet(plan, recordsPerEntity: 3, seed: seed)
        random = SplitMix64(seed: seed)
        self.balancer = balancer
        self.token = token
        path = "/v1/apps/\(plan.app)/spaces/\(space)/changes"
    }

    /// Somebody pushes, and perhaps reads.
    ///
    /// - Parameter newest: the newest version that a server knows.
    mutating func live(newest: Int) async throws {
        let version = [0, newest / 2, newest, newest].randomElement(using: &random)!
        let device = device(version)
        let batch = fleet.batch(by: version, count: 1 + random.below(4), models.all[0]).filter {
            isPossible($0.change)
        }
        let numbers = try await numbers(in: version)
        let answer = try await device.send(batch.map(\.json), cursor: await device.cursor)
        models.beginPush()
        for (sent, verdict) in zip(batch, answer.verdicts) where verdict != "rejected" {
            // It never takes the cursor of a push, so it holds what it was sent and what is no news since. A record
            // that was not there may be one that the same push made.
            let id = sent.change.id.description
            models.take(sent.change, isHeld: numbers[id].map { $0 == lastReceived[device.version]?[id] })
        }
        #expect(!answer.verdicts.contains("held"))
        changes += batch.count
        if random.below(3) == 0 { try await read(device) }
    }

    /// The numbers of all records, for somebody who holds nothing. What that reads settles what the models leave open,
    /// or there are soon more of them than are followed.
    private mutating func numbers(in version: Int) async throws -> [String: Int64] {
        let reader = reader(version)
        var numbers: [String: Int64] = [:]
        for record in try await reader.pullAll() { numbers[record["id"].string ?? ""] = record["seq"].int }
        if !models.isCertain { _ = await differences(from: reader, version) }
        return numbers
    }

    private func reader(_ version: Int) -> TestDevice {
        TestDevice(
            client: balancer, path: path, token: token, plan: plan, version: "\(plan.schemas[version].version)", id: nil
        )
    }

    /// Returns true if a device may send a change: it edits only what somebody has created. A record that was only
    /// edited has no creation, and a row from before an attribute that begins with it does not show which of its edits
    /// came first: there a backfill takes the latest.
    private mutating func isPossible(_ change: ModelChange) -> Bool {
        if change.operation == .create { created.insert(change.id) }
        return created.contains(change.id)
    }

    private mutating func device(_ version: Int) -> TestDevice {
        if let known = devices[version] { return known }
        let device = TestDevice(
            client: balancer, path: path, token: token, plan: plan, version: "\(plan.schemas[version].version)",
            id: .random(using: &random))
        devices[version] = device
        return device
    }

    /// Everything new, and only that: no record comes in a state that the device was sent before.
    private mutating func read(_ device: TestDevice) async throws {
        let received = try await device.pullAll()
        records += received.count
        for record in received {
            guard let id = record["id"].string, let number = record["seq"].int else {
                Issue.record("what is this: \(record)")
                continue
            }
            let known = lastReceived[device.version, default: [:]].updateValue(number, forKey: id)
            #expect(known.map { $0 < number } ?? true, "\(device.version) was sent once more: \(record)")
        }
    }

    /// Checks that every version reads what the model computes from the changes.
    mutating func check() async throws {
        for version in plan.schemas.indices {
            let fresh = reader(version)
            try await fresh.pullAll()
            let differences = await differences(from: fresh, version)
            #expect(differences.isEmpty, "\(plan.schemas[version].version): \(differences.prefix(3))")
        }
        #expect(!models.hasLostSome, "there was more in doubt than is followed")
    }

    /// Leaves those models out that do not expect what a device has read.
    ///
    /// - Returns: the differences from one of them, where all expect something else; none are left out then.
    private mutating func differences(from device: TestDevice, _ version: Int) async -> [String] {
        let store = await device.store.withoutEmpty
        let name = plan.name(of: version)
        let expected = { (model: SpaceModel) in
            var expected: TestDevice.Store = [:]
            for (key, fields) in model.records(in: name) {
                expected[key.entity, default: [:]][key.id.description] = fields.mapValues { JSONValue($0) }
            }
            return expected
        }
        if models.keep({ store.differences(from: expected($0)).isEmpty }) { return [] }
        return store.differences(from: expected(models.all[0]))
    }
}
