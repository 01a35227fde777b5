/// When each attribute of a record was said, and when it was created or deleted, as far as one device knows.
struct RecordStamps: Sendable {
    private var created: Int64 = 0
    private var deleted: Int64 = 0
    private var attributes: [String: Int64] = [:]
    /// What references that read as null refer to: their targets are not there.
    private var absent: [String: JSONValue] = [:]

    init() {}

    /// What a pull with `stamps` says.
    init(told change: JSONValue) {
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

    /// What this device does itself.
    mutating func make(_ change: JSONValue) {
        guard let stamp = change["stamp"].int else { return }
        switch change["op"] {
        case "delete":
            // Of what it deletes it keeps no value: what was said in its creation is no more known than what was later.
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

    /// All of them.
    var all: Set<Int64> { Set(attributes.values).union([created, deleted]) }

    /// The changes that tell a server what it has forgotten: each with the stamp that it had. None, where the server
    /// knows as much.
    ///
    /// - Parameters:
    ///   - known: what the device has of it; `nil` where it deleted it or saw it deleted.
    ///   - told: what the server says now, and when it was said; `nil` where it knows nothing of the record.
    func offers(
        _ known: [String: JSONValue]?, beyond told: (record: [String: JSONValue]?, stamps: RecordStamps)?
    ) -> [JSONValue] {
        guard let known else {
            guard deleted > 0, deleted > told?.stamps.deleted ?? 0 else { return [] }
            return [.object(["op": "delete", "stamp": .int(deleted)])]
        }
        let record = known.merging(absent) { $1 }
        let news = record.filter { name, value in
            guard let told else { return true }
            let (stamp, toldStamp) = (attributes[name, default: 0], told.stamps.attributes[name, default: 0])
            // Of one edit another version may see less; the server keeps what says more.
            return stamp > toldStamp || stamp > 0 && stamp == toldStamp && value != told.record?[name]
        }
        // What nobody said are defaults, which differ between versions. Every edit is later than the stamp 1.
        var byStamp: [Int64: [String: JSONValue]] = [:]
        for (name, value) in news { byStamp[max(attributes[name, default: 0], 1), default: [:]][name] = value }
        // The creation comes last: then everything that it must have is there.
        let isCreated = created > told?.stamps.created ?? 0
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
    /// The change with what it is about.
    func addressed(to key: TestDevice.Key) -> JSONValue {
        .object(members.merging(["entity": .string(key.entity), "id": .string(key.id)]) { $1 })
    }
}
