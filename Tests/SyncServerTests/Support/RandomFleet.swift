import SyncTestSupport
import WireFormats

/// Random changes to a space's records, as devices of any version would make them. What is not set stays at its
/// default, often enough for that to matter.
struct RandomFleet {
    let plan: Plan
    var random: SplitMix64
    /// By hub entity: every record ever created.
    private(set) var records: [[ID]]
    private var time: Int64 = 0

    private let isLinking: Bool

    /// - Parameter isLinking: whether records refer to each other.
    init(_ plan: Plan, seed: UInt64, isLinking: Bool = true) {
        self.plan = plan
        self.isLinking = isLinking
        random = SplitMix64(seed: seed)
        records = plan.hub.entities.map { _ in [] }
    }

    mutating func changes(by version: Int, count: Int) -> [JSONValue] {
        let projections = plan.projections[version].compactMap { $0 }
        return (0..<count).map { _ in change(projections.randomElement(using: &random)!) }
    }

    private mutating func change(_ projection: Projection) -> JSONValue {
        time += 1
        let known = records[projection.entity].randomElement(using: &random)
        switch (known, random.next() % 8) {
        case (let id?, 0): return .delete(projection.name, id, at: moment(time))
        case (let id?, 1...3):
            return .update(projection.name, id, fields(projection, isNew: false), at: moment(time))
        default:
            let id = plan.hub.entities[projection.entity].singleton ?? ID.random(using: &random)
            if !records[projection.entity].contains(id) { records[projection.entity].append(id) }
            return .create(projection.name, id, fields(projection, isNew: true), at: moment(time))
        }
    }

    private mutating func fields(_ projection: Projection, isNew: Bool) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        // What is linked goes together: of half of it, what arrives first would decide the other half.
        var units: Set<Int> = []
        for field in projection.fields where isNew && !field.isOmissible || random.next() % 4 == 0 {
            units.insert(field.unit)
        }
        for (position, field) in projection.fields.enumerated() where units.contains(field.unit) {
            fields[field.name] = value(position, field, projection)
        }
        return fields
    }

    private mutating func value(_ position: Int, _ field: Projection.Field, _ projection: Projection) -> JSONValue {
        if case .reference = field.type.kind {
            if !isLinking { return .null }
            let references = plan.hub.entities[projection.entity].references
            guard let target = references.first(where: { $0.column == field.column })?.target,
                let id = records[target].randomElement(using: &random)
            else { return .null }
            return .id(id)
        }
        // Who comes first would depend on who sends first.
        if plan.hub.entities[projection.entity].uniqueColumns.contains(field.column), field.type.kind == .string {
            return .string("\(time)")
        }
        let generator = RecordGenerator(plan, of: projection.name, in: projection.version)
        return generator.map { JSONValue($0.value(position, using: &random)) } ?? .null
    }
}
