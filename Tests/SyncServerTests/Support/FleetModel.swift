import SyncTestSupport
import WireFormats

/// What a space must hold after changes of several versions, whatever their order: for each attribute the value of its
/// latest stamp, and for each record its latest creation and deletion.
struct FleetModel: Sendable {
    struct Key: Hashable, Sendable {
        let entity: String
        let id: ID
    }

    struct Record: Sendable {
        var born: Int64 = 0
        var died: Int64 = 0
        var values: [String: (stamp: Int64, value: JSONValue)] = [:]

        var isAlive: Bool { died == 0 || died <= born }
    }

    private(set) var records: [Key: Record] = [:]

    /// Takes in an acknowledged change. Stamps are never equal here.
    mutating func take(_ change: JSONValue) {
        guard let entity = change["entity"].string, let id = change["id"].string.flatMap({ ID($0) }),
            let stamp = change["stamp"].int
        else { preconditionFailure("not a change: \(change)") }
        var record = records[Key(entity: entity, id: id)] ?? Record()
        switch change["op"] {
        case "create": record.born = max(record.born, stamp)
        case "delete": record.died = max(record.died, stamp)
        default: break
        }
        for (name, value) in FleetModel.attributes(of: change) where stamp > record.values[name]?.stamp ?? 0 {
            record.values[name] = (stamp, value)
        }
        records[Key(entity: entity, id: id)] = record
    }

    /// The attributes of a change under names that every version shares. Older versions say an item's quantity in words
    /// ("12 g"), newer ones in two attributes; the model keeps the words.
    private static func attributes(of change: JSONValue) -> [String: JSONValue] {
        var fields = change["fields"].members
        if let unit = fields.removeValue(forKey: "unit")?.string, let number = fields["quantity"]?.int {
            fields["quantity"] = .string("\(number) \(unit)")
        }
        return fields
    }

    /// Where a version's view of the records differs from the model.
    func differences(from view: TestDevice.Store, in version: String, _ plan: Plan) -> [String] {
        var found: [String] = []
        let place = Schema.Version(version).flatMap { plan.index(of: $0) } ?? 0
        for (key, record) in records {
            guard let projection = plan.projection(version: place, named: key.entity) else { continue }
            let seen = view[key.entity]?[key.id.description]
            guard let seen, record.isAlive else {
                if record.isAlive != (seen != nil) { found.append("\(version) \(key): alive is not \(record.isAlive)") }
                continue
            }
            for (name, expected) in record.values {
                guard let field = projection.field(named: name).map({ projection.fields[$0] }) else { continue }
                let isNumber = name == "quantity" && field.type.kind == .double && key.entity == "SDMealLogItem"
                let actual = isNumber ? FleetModel.words(seen) : seen[name]
                if actual != expected.value {
                    found.append("\(version) \(key) \(name): \(actual ?? "nothing"), not \(expected.value)")
                }
            }
        }
        return found
    }

    private static func words(_ record: [String: JSONValue]) -> JSONValue? {
        guard let number = record["quantity"]?.int, let unit = record["unit"]?.string else { return nil }
        return .string("\(number) \(unit)")
    }
}
