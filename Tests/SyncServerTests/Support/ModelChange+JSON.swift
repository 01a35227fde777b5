import StrictJSON
import SyncModel
import SyncTestSupport
import WireFormats

extension ModelChange {
    /// A change that carries its stamp, as a device of `version` sent it.
    init(_ change: JSONValue, in version: ShapeName, _ plan: Plan) throws {
        guard let index = plan.index(of: version), let entity = change["entity"].string,
            let projection = plan.projection(version: index, named: entity),
            let operation = change["op"].string.flatMap(Operation.init(rawValue:)),
            let id = change["id"].string.flatMap({ ID($0) }), let stamp = change["stamp"].int
        else { preconditionFailure("not a change of version \(version): \(change)") }
        let types = Dictionary(uniqueKeysWithValues: projection.fields.map { ($0.name, $0.type) })
        var fields: [String: Value] = [:]
        for (name, value) in change["fields"].members {
            fields[name] = try ValueReader.read(JSONDocument(parsing: value.bytes).root, as: types[name]!)
        }
        self.init(operation, entity, id, fields, at: Stamp(unchecked: stamp), in: version)
    }
}
