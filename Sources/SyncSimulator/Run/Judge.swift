import SyncModel
import WireFormats

/// What the space must hold, worked out from the changes that the server has accepted, in the order in which it did.
struct Judge {
    private var model: SpaceModel
    /// By place in the plan's `shapes`.
    private let names: [ShapeName]

    init(_ declaration: any SchemaMigrationPlan.Type, _ plan: Plan) throws {
        model = try SpaceModel(declaration)
        names = plan.shapes.indices.map { plan.name(of: $0) }
    }

    /// - Parameter stamp: the one that counts, which is another than the change's where that was too far ahead.
    mutating func take(_ change: Change, at stamp: Stamp) {
        model.take(
            ModelChange(
                change.operation, change.key.entity, change.key.id, change.fields, at: stamp, in: names[change.version])
        )
    }

    mutating func forgetDead() { model.forgetDead() }

    /// What a new device of the version must hold.
    func records(in version: Int) -> Store { model.records(in: names[version]) }
}

/// Compares stores, and says what differs so that one can go and look.
enum Comparison {
    /// More would say the same again.
    private static let linesMax = 6

    static func differences(_ name: String, _ store: Store, _ otherName: String, _ other: Store) -> [String] {
        if store == other { return [] }
        var lines: [String] = []
        let keys = Set(store.keys).union(other.keys).sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }
        for key in keys where store[key] != other[key] {
            guard lines.count < linesMax else { return lines + ["…"] }
            lines.append("\(key.entity) \(key.id): \(difference(name, store[key], otherName, other[key]))")
        }
        return lines
    }

    private static func difference(
        _ name: String, _ record: [String: Value]?, _ otherName: String, _ other: [String: Value]?
    ) -> String {
        guard let record else { return "\(otherName) has it, \(name) has not" }
        guard let other else { return "\(name) has it, \(otherName) has not" }
        let differing = Set(record.keys).union(other.keys).sorted().filter { record[$0] != other[$0] }
        return differing.map { attribute in
            let (mine, theirs) = (record[attribute]?.shown ?? "not told", other[attribute]?.shown ?? "not told")
            return "\(attribute) is \(mine) for \(name), \(theirs) for \(otherName)"
        }.joined(separator: "; ")
    }
}
