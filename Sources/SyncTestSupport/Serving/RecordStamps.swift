/// The stamps of one record that a device knows, because it made or received the changes: those of its attributes, its
/// creation and its deletion.
struct RecordStamps: Sendable {
    private var created: Int64 = 0
    private var deleted: Int64 = 0
    private var attributes: [String: Int64] = [:]
    /// The ids in references that the device reads as null because their targets do not exist, by attribute name.
    private var absent: [String: JSONValue] = [:]

    init() {}

    /// Makes the stamps of a record from a change on a page of a pull with the parameter `stamps`.
    init(received change: JSONValue) {
        let latest = change["stamp"].int ?? 0
        guard change["op"] != "delete" else {
            deleted = change["deleted"].int ?? 0
            return
        }
        created = change["created"].int ?? latest
        absent = change["absent"].members
        let others = change["stamps"].members
        attributes = change["fields"].members.reduce(into: [:]) { $0[$1.key] = others[$1.key]?.int ?? latest }
    }

    /// Adds the stamps of a local change: one that this device itself makes to the record.
    mutating func make(_ change: JSONValue) {
        guard let stamp = change["stamp"].int else { return }
        switch change["op"] {
        case "delete":
            // A device keeps no values of a record that it deletes, neither those of its creation nor later ones.
            (deleted, created, attributes, absent) = (max(deleted, stamp), 0, [:], [:])
            return
        case "create": created = max(created, stamp)
        default: break
        }
        for name in change["fields"].members.keys {
            attributes[name] = max(attributes[name] ?? 0, stamp)
            absent[name] = nil
        }
    }

    /// All stamps of the record, in any order.
    var all: Set<Int64> { Set(attributes.values).union([created, deleted]) }

    /// Returns the changes that restore values of a record on a server that has lost them. Each has its original stamp.
    ///
    /// - Parameters:
    ///   - known: the record's values on the device; `nil` if the device knows that the record is deleted.
    ///   - received: the record's values and stamps on the server; `nil` if the server does not have the record.
    /// - Returns: the changes; none if the server has lost nothing.
    func offers(
        _ known: [String: JSONValue]?, beyond received: (record: [String: JSONValue]?, stamps: RecordStamps)?
    ) -> [JSONValue] {
        guard let known else {
            guard deleted > 0, deleted > received?.stamps.deleted ?? 0 else { return [] }
            return [.object(["op": "delete", "stamp": .int(deleted)])]
        }
        let record = known.merging(absent) { $1 }
        let news = record.filter { name, value in
            guard let received else { return true }
            let (stamp, receivedStamp) = (attributes[name, default: 0], received.stamps.attributes[name, default: 0])
            // Another version may see less of one edit; the server keeps the value that states more.
            return stamp > receivedStamp || stamp > 0 && stamp == receivedStamp && value != received.record?[name]
        }
        // Values that nobody stated are defaults, which differ between versions. Every edit is later than the stamp 1.
        var byStamp: [Int64: [String: JSONValue]] = [:]
        for (name, value) in news { byStamp[max(attributes[name, default: 0], 1), default: [:]][name] = value }
        // The creation comes last, when everything that it must have exists.
        let isCreated = created > received?.stamps.created ?? 0
        let creation = isCreated ? byStamp.removeValue(forKey: created) ?? [:] : nil
        var offers = byStamp.sorted { $0.key < $1.key }.map { stamp, fields in
            JSONValue.object(["op": "update", "stamp": .int(stamp), "fields": .object(fields)])
        }
        if let creation {
            offers.append(.object(["op": "create", "stamp": .int(created), "fields": .object(creation)]))
        }
        return offers
    }
}

extension JSONValue {
    /// Returns this change with the entity and the id of a record.
    func addressed(to key: TestDevice.Key) -> JSONValue {
        .object(members.merging(["entity": .string(key.entity), "id": .string(key.id)]) { $1 })
    }
}
