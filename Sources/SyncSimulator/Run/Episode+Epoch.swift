import SyncModel
import WireFormats

/// A database with another epoch, with which no device can go on as if nothing had happened. It is the same database
/// and lacks nothing, so that everyone must come to the same again.
extension Episode {
    /// From now on every cursor is one of another database.
    func renewEpoch() throws {
        try site.renewEpoch()
        cursors = []
        readings = Readings()
        numberReaders = [:]
        received = []
        for place in observers.indices { observers[place] = Observer(version: observers[place].version) }
    }

    /// Whether the server may go on from there.
    func isOfEpoch(_ cursor: String?) -> Bool {
        cursor.map { cursors.contains($0) } ?? true
    }

    /// After `epoch-changed`: the device sets its records aside, reads what the server has, and offers what it knows;
    /// more than it should, namely also what came just as it is. An echo with the stamp of the original must change
    /// nothing, whichever version it comes from. The outbox goes with the next push.
    func beginAnew(_ number: Int) throws {
        let device = devices[number]
        devices[number].beginAnew()
        let said = try readStamps(as: device)
        let echoes = device.base.flatMap { key, known in
            said[key]?.echoes(of: uncounted(known, of: key, in: device.version), key, by: device.version) ?? []
        }
        if echoes.isEmpty { return }
        let bytes = route.bytes(
            "changes", header: vocabulary(device.version).header, device: nil, cursor: nil, limit: nil,
            body: body(echoes, cursor: nil, limit: nil))
        let reply = try answer(to: bytes)
        guard reply.status == 200 else { throw Breach("an offer was answered \(reply)\n\(site.lastWords)") }
        let results = try AnswerReader(vocabulary: vocabulary(device.version))
            .push(try root(of: reply), count: echoes.count).results
        for (echo, result) in zip(echoes, results) {
            tally.verdicts["echo", default: 0] += 1
            guard result.verdict == "unchanged" else {
                let why = [result.code, result.detail].compactMap(\.self).joined(separator: ": ")
                throw Breach("an echo with its own stamp was ‘\(result.verdict)’ (\(why)): \(echo)")
            }
        }
    }

    /// What is counted would be counted a second time.
    private func uncounted(_ known: [String: Value], of key: ModelKey, in version: Int) -> [String: Value] {
        let fields = vocabulary(version).entity(key.entity)?.fields ?? []
        return known.filter { name, _ in !fields.contains { $0.name == name && $0.counts.here } }
    }

    private func readStamps(as device: Device) throws -> [ModelKey: Said] {
        var said: [ModelKey: Said] = [:]
        var cursor: String?
        while true {
            let bytes = route.bytes(
                "changes", header: vocabulary(device.version).header, device: device.id, cursor: cursor, limit: nil,
                withStamps: true, body: nil)
            let reply = try answer(to: bytes)
            let page = try page(reply, in: device.version)
            let nodes = try root(of: reply)["changes"]?.elements.map(Array.init) ?? []
            for (record, node) in zip(page.records, nodes) {
                said[record.key] = Said(record, node, vocabulary(device.version))
            }
            if !page.more { return said }
            cursor = page.cursor
        }
    }
}

/// What the server says of a living record, and when that was said.
private struct Said {
    private var fields: [String: Attribute] = [:]

    private struct Attribute {
        let read: Value
        /// What it is; another than is read of a reference whose target is not there.
        let value: Value
        let stamp: Stamp
    }

    init?(_ record: PageAnswer.Record, _ node: JSONNode, _ vocabulary: Vocabulary) {
        guard let told = record.fields else { return nil }
        for (name, value) in told {
            let stamp = node["stamps"]?[name]?.int64 ?? record.stamp.rawValue
            // Zero: nobody said it.
            guard let stamp = Stamp(rawValue: stamp) else { continue }
            let field = vocabulary.entity(record.key.entity)?.fields.first { $0.name == name }
            let absent = node["absent"]?[name].flatMap { try? field?.read($0) }
            fields[name] = Attribute(read: value, value: absent ?? value, stamp: stamp)
        }
    }

    /// What a device that held `known` can say again, a change for each stamp.
    func echoes(of known: [String: Value], _ key: ModelKey, by version: Int) -> [Change] {
        let same = fields.filter { known[$0.key] == $0.value.read }
        return Dictionary(grouping: same) { $0.value.stamp }.sorted { $0.key < $1.key }.map { stamp, said in
            Change(
                number: 0, key: key, operation: .update, stamp: stamp, isStamped: true,
                fields: Dictionary(uniqueKeysWithValues: said.map { ($0.key, $0.value.value) }), version: version)
        }
    }
}
