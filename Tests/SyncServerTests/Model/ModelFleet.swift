import SyncModel
import SyncTestSupport
import WireFormats

/// Random changes by devices of every shape of an app, each as it is sent and as the model receives it: hostile
/// values, clocks that disagree and stamps that are equal, whole records sent again untouched, retries.
struct ModelFleet {
    /// One change, as JSON and as what it means.
    struct Sent: Sendable {
        let json: JSONValue
        let change: ModelChange
    }

    let plan: Plan
    var random: SplitMix64
    private(set) var sent: [Sent] = []
    /// By hub entity: few enough that devices meet.
    private let ids: [[ID]]
    /// By shape.
    private let generators: [[String: RecordGenerator]]
    private var time: Int64 = 0

    init(_ plan: Plan, recordsPerEntity: Int, seed: UInt64) {
        self.plan = plan
        var random = SplitMix64(seed: seed)
        ids = plan.hub.entities.map { entity in
            entity.singleton.map { [$0] } ?? (0..<recordsPerEntity).map { _ in .random(using: &random) }
        }
        generators = plan.projections.enumerated().map { shape, projections in
            let pairs = projections.compactMap { $0 }.compactMap { projection in
                RecordGenerator(plan, of: projection.name, in: shape).map { (projection.name, $0) }
            }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
        self.random = random
    }

    /// Returns the changes that a device of a shape pushes at once.
    ///
    /// - Parameter model: what devices have read by now; some of it they send back.
    mutating func batch(by shape: Int, count: Int, _ model: SpaceModel) -> [Sent] {
        let projections = plan.projections[shape].compactMap { $0 }
        return (0..<count).map { _ in
            if Int.random(in: 0..<10, using: &random) == 0, let again = sent.randomElement(using: &random) {
                return again
            }
            let next = change(projections.randomElement(using: &random)!, model)
            sent.append(next)
            return next
        }
    }

    private mutating func change(_ projection: Projection, _ model: SpaceModel) -> Sent {
        let id = ids[projection.entity].randomElement(using: &random)!
        let name = plan.name(of: projection.version)
        time += Int64.random(in: 0...2, using: &random)
        // A third of the devices have clocks that are behind.
        let lag = Int.random(in: 0..<3, using: &random) == 0 ? Int64.random(in: 0..<40, using: &random) : 0
        let stamp = Stamp(unchecked: moment(max(0, time - lag)))
        let fields: [String: Value]
        let operation: ModelChange.Operation
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<2: (operation, fields) = (.delete, [:])
        case 2..<7: (operation, fields) = (.create, values(projection, isNew: true))
        case 7..<10:
            // A client that sends whole records, perhaps with an edit of its own.
            let read = model.records(in: name)[ModelKey(entity: projection.name, id: id)] ?? [:]
            let edited = Bool.random(using: &random) ? values(projection, isNew: false) : [:]
            (operation, fields) = (.update, read.merging(edited) { $1 })
        default: (operation, fields) = (.update, values(projection, isNew: false))
        }
        let change = ModelChange(operation, projection.name, id, fields, at: stamp, in: name)
        var members: [String: JSONValue] = [
            "entity": .string(projection.name), "id": .id(id), "op": .string(operation.rawValue),
            "stamp": .int(stamp.rawValue), "version": .string("\(name)"),
        ]
        if operation != .delete { members["fields"] = .object(fields.mapValues { dressed($0) }) }
        return Sent(json: .object(members), change: change)
    }

    private mutating func values(_ projection: Projection, isNew: Bool) -> [String: Value] {
        var values: [String: Value] = [:]
        for (index, field) in projection.fields.enumerated() {
            let isNeeded = isNew && !field.isOmissible
            guard isNeeded || Int.random(in: 0..<4, using: &random) == 0 else { continue }
            let references = plan.hub.entities[projection.entity].references
            if let target = references.first(where: { $0.column == field.column })?.target {
                let isNull = Int.random(in: 0..<4, using: &random) == 0
                values[field.name] = isNull ? .null : .uuid(ids[target].randomElement(using: &random)!)
            } else {
                values[field.name] = generators[projection.version][projection.name]?.value(index, using: &random)
            }
        }
        return values
    }

    /// A value as some client writes it, which is stored as all write it.
    private mutating func dressed(_ value: Value) -> JSONValue {
        let plain = JSONValue(value)
        guard Bool.random(using: &random), case .string(let text) = plain else {
            return value == .double(0) ? .double(-0.0) : plain
        }
        return switch value {
        case .decimal: .string(text.contains(".") ? text + "00" : text + ".0")
        case .uuid: .string(text.uppercased())
        // Less than half of a microsecond.
        case .date where text.utf8.count == "2026-01-31T08:00:00.123456Z".utf8.count: .string(text.dropLast() + "49Z")
        default: plain
        }
    }
}
