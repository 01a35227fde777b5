import StrictJSON
import SyncModel
import WireFormats

/// Records by key, each with all of its values, as a device stores them.
typealias Store = [ModelKey: [String: Value]]

/// A user's change of one record, as its device keeps it until the server has answered.
struct Change: Sendable {
    /// The change's number in the simulation, which is never sent to the server.
    let number: Int
    let key: ModelKey
    let operation: ModelChange.Operation
    /// The time of the change by the device's clock. It is sent only if `isStamped` is true.
    let stamp: Stamp
    var isStamped: Bool
    let fields: [String: Value]
    /// The amounts that the user added to counters (attributes whose edits are increments), by attribute name.
    var increments: [String: Int64] = [:]
    /// The app's version when the user made the change, as an index in the plan's `shapes`.
    let version: Int

    /// Writes the change as the JSON object that a push contains.
    ///
    /// - Parameters:
    ///   - vocabulary: the entities and attributes of the version in which the change was made.
    ///   - names: the text ids of records.
    func write(to writer: inout JSONWriter, in vocabulary: Vocabulary, _ names: TextNames) {
        let entity = vocabulary.entity(key.entity)
        writer.beginObject()
        writer.member(BodyMember.entity, key.entity)
        writer.member(BodyMember.id, entity?.texts == nil ? key.id.description : names.text(of: key.id))
        writer.member(BodyMember.operation, operation.rawValue)
        if isStamped {
            writer.member(BodyMember.stamp, stamp.rawValue)
        }
        writer.member(BodyMember.version, vocabulary.header)
        if operation != .delete {
            writer.key(BodyMember.fields)
            writer.beginObject()
            for (name, value) in fields {
                writer.key(name)
                if case .uuid(let target) = value,
                    entity?.fields.contains(where: { $0.name == name && $0.texts != nil }) == true
                {
                    writer.string(names.text(of: target))
                } else {
                    writer.value(value)
                }
            }
            writer.endObject()
        }
        if !increments.isEmpty {
            writer.key(BodyMember.increments)
            writer.beginObject()
            for (name, amount) in increments {
                writer.key(name)
                writer.int(amount)
            }
            writer.endObject()
        }
        writer.endObject()
    }
}

extension Change: CustomStringConvertible {
    var description: String {
        let said =
            fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.shown)" }
            + increments.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value > 0 ? "+" : "")\($0.value)" }
        let when = "\(stamp.rawValue)\(isStamped ? "" : ", unsaid")"
        return "\(operation) \(key.entity) \(key.id.description.prefix(8)) at \(when) "
            + "[\(said.joined(separator: ", "))]"
    }
}

extension Value {
    /// The value as JSON, shortened to fit on one line of a report.
    var shown: String {
        var writer = JSONWriter()
        writer.value(self)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        return text.count <= 60 ? text : "\(text.prefix(60))…"
    }
}
