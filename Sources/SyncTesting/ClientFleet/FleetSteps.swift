import SyncClient
import WireFormats

/// A generator of changes by the users of a fleet's devices, each in the version of its device.
struct FleetSteps {
    private let plan: Plan
    private let generators: [[RecordGenerator?]]
    private var random: SplitMix64

    /// The number of records of an entity at which users stop creating new ones. More records would make each check
    /// longer, and would not find more faults.
    private static let recordsMax = 120

    init(_ plan: Plan, seed: UInt64) {
        self.plan = plan
        random = SplitMix64(seed: seed)
        generators = plan.projections.enumerated().map { index, row in
            row.map { projection in projection.flatMap { RecordGenerator(plan, of: $0.name, in: index) } }
        }
    }

    mutating func below(_ count: Int) -> Int { random.below(count) }

    /// Returns true at random, on average once in `count` calls.
    mutating func isOne(in count: Int) -> Bool { random.below(count) == 0 }

    /// Draws a change by the user of a device; `nil` if no entity of the device's version is suitable.
    mutating func step(for device: FleetDevice) -> FleetDevice.Step? {
        let row = plan.projections[device.version]
        let possible = row.indices.filter { index in
            guard let projection = row[index], generators[device.version][index] != nil else { return false }
            let entity = plan.hub.entities[index]
            return entity.singleton == nil && entity.uniqueColumns.isEmpty && projection.identityType != .string
        }
        guard !possible.isEmpty else { return nil }
        let entity = possible[random.below(possible.count)]
        guard let projection = row[entity] else { return nil }
        let isOwn = random.below(3) == 0
        let known: [RecordID]
        if isOwn {
            known = (device.own[entity] ?? [:]).filter { !$0.value.isDeleted }.keys.sorted { $0.text < $1.text }
        } else {
            let own = device.own[entity] ?? [:]
            known = (device.seen[entity] ?? []).filter { own[$0] == nil && !isSomebodys($0) }
        }
        let draw = random.below(10)
        if known.isEmpty || draw < 3 && known.count < FleetSteps.recordsMax {
            let id = RecordID(isOwn ? ownID() : ID.random(using: &random))
            return FleetDevice.Step(
                change: change(projection, id, .create, device, all: true), entity: entity, isOwn: isOwn)
        }
        let id = known[random.below(known.count)]
        if draw == 9 {
            return FleetDevice.Step(
                change: OutgoingChange(entity: projection.name, id: id, operation: .delete, stamp: nil),
                entity: entity, isOwn: isOwn)
        }
        return FleetDevice.Step(
            change: change(projection, id, .update, device, all: false), entity: entity, isOwn: isOwn)
    }

    /// Draws edits of one record that only this device edits; none if it has no such record.
    mutating func editsOfOne(count: Int, by device: FleetDevice) -> [FleetDevice.Step] {
        let own = device.own.flatMap { entity, records in
            records.filter { !$0.value.isDeleted }.map { (entity: entity, id: $0.key) }
        }.sorted { ($0.entity, $0.id.text) < ($1.entity, $1.id.text) }
        guard !own.isEmpty else { return [] }
        let (entity, id) = own[random.below(own.count)]
        guard let projection = plan.projections[device.version][entity] else { return [] }
        return (0..<count).map { _ in
            FleetDevice.Step(
                change: change(projection, id, .update, device, all: true), entity: entity, isOwn: true)
        }
    }

    /// Makes an id for a record that only the device which creates it edits. All other devices recognise such an id,
    /// and leave the record alone.
    private mutating func ownID() -> ID {
        let id = ID.random(using: &random)
        return ID(high: id.high | FleetSteps.ownMark, low: id.low)
    }

    private static let ownMark: UInt64 = 0xFFFF << 48
    private func isSomebodys(_ id: RecordID) -> Bool { id.text.hasPrefix("ffff") }

    private mutating func change(
        _ projection: Projection, _ id: RecordID, _ operation: OutgoingChange.Operation, _ device: FleetDevice,
        all: Bool
    ) -> OutgoingChange {
        var fields: [(name: String, value: Value)] = []
        guard let generator = generators[device.version][projection.entity] else {
            return OutgoingChange(entity: projection.name, id: id, operation: operation, stamp: nil)
        }
        for (index, field) in projection.fields.enumerated() where all || random.below(4) == 0 {
            if case .reference(let target) = field.type.kind {
                let entity = plan.projection(version: device.version, named: target)?.entity
                // Records of one device have no references and nothing refers to them, so that no cascade deletes them.
                let isOwn = isSomebodys(id)
                let targets = isOwn ? [] : (entity.flatMap { device.seen[$0] } ?? []).filter { !isSomebodys($0) }
                let isText = field.isTextReference
                if targets.isEmpty || isText || random.below(3) == 0 {
                    fields.append((field.name, .null))
                } else if let target = ID(targets[random.below(targets.count)].text) {
                    fields.append((field.name, .uuid(target)))
                }
            } else {
                fields.append((field.name, generator.value(index, using: &random)))
            }
        }
        return OutgoingChange(entity: projection.name, id: id, operation: operation, stamp: nil, fields: fields)
    }
}
