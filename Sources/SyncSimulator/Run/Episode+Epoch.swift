import StrictJSON
import SyncModel
import WireFormats

/// Renewals of the database's epoch (the mark of its history). The server then refuses all earlier cursors, as after a
/// restoration from a backup. Since no data is really lost here, all devices must return to the state before.
extension Episode {
    /// Renews the database's epoch (the mark of its history), so that the server refuses all earlier cursors.
    func renewEpoch() throws {
        try site.renewEpoch()
        cursors = []
        readings = Readings()
        numberReaders = [:]
        received = []
        for index in observers.indices { observers[index] = Observer(version: observers[index].version) }
    }

    /// Returns true if the cursor belongs to the database's current epoch (the mark of its history), so that the server
    /// may continue from there. Also true without a cursor.
    func isOfEpoch(_ cursor: String?) -> Bool {
        cursor.map { cursors.contains($0) } ?? true
    }

    /// Begins anew after the refusal `epoch-changed`: the device drops its records, reads the server's records, and
    /// sends the values that it had.
    ///
    /// A real device sends only values that the server has lost. This one also sends values that the server still has,
    /// with their original stamps. They must change nothing, in any version.
    ///
    /// The user's unanswered changes are sent with the next push.
    func beginAnew(_ number: Int) throws {
        let device = devices[number]
        devices[number].beginAnew()
        let said = try readStamps(as: device)
        let echoes = device.base.flatMap { key, known in
            said[key]?.echoes(of: uncounted(known, of: key, in: device.version), key, by: device.version) ?? []
        }
        if echoes.isEmpty { return }
        let bytes = route.bytes(
            SpaceAction.changes, header: vocabulary(device.version).header, device: nil, cursor: nil, limit: nil,
            body: body(echoes, cursor: nil, limit: nil))
        let reply = try answer(to: bytes)
        guard reply.status == 200 else { throw Breach("an offer was answered \(reply)\n\(site.lastWords)") }
        let results = try AnswerReader(vocabulary: vocabulary(device.version))
            .push(try root(of: reply), count: echoes.count).results
        for (echo, result) in zip(echoes, results) {
            tally.verdicts["echo", default: 0] += 1
            guard result.verdict == .unchanged else {
                let why = [result.code, result.detail].compactMap(\.self).joined(separator: ": ")
                throw Breach("an echo with its own stamp was ‘\(result.verdict)’ (\(why)): \(echo)")
            }
        }
    }

    /// Returns a record's values without those of counters. If a device sent a counter's value again, the value would
    /// be added a second time.
    private func uncounted(_ known: [String: Value], of key: ModelKey, in version: Int) -> [String: Value] {
        let fields = vocabulary(version).entity(key.entity)?.fields ?? []
        return known.filter { name, _ in !fields.contains { $0.name == name && $0.counts.here } }
    }

    private func readStamps(as device: Device) throws -> [ModelKey: Said] {
        var said: [ModelKey: Said] = [:]
        var cursor: String?
        while true {
            let bytes = route.bytes(
                SpaceAction.changes, header: vocabulary(device.version).header, device: device.id, cursor: cursor,
                limit: nil,
                withStamps: true, body: nil)
            let reply = try answer(to: bytes)
            let page = try page(reply, in: device.version)
            let nodes = try root(of: reply)[BodyMember.changes]?.elements.map(Array.init) ?? []
            for (record, node) in zip(page.records, nodes) {
                said[record.key] = Said(record, node, vocabulary(device.version))
            }
            if !page.more { return said }
            cursor = page.cursor
        }
    }
}

/// A record as the server has it, with the stamp of each attribute.
private struct Said {
    private var fields: [String: Attribute] = [:]

    private struct Attribute {
        let read: Value
        /// The stored value. For a reference whose target does not exist, this is the target's id, while `read` is
        /// null.
        let value: Value
        let stamp: Stamp
    }

    init?(_ record: PageReply.Record, _ node: JSONNode, _ vocabulary: Vocabulary) {
        guard let received = record.fields else { return nil }
        for (name, value) in received {
            let stamp = node[BodyMember.stamps]?[name]?.int64 ?? record.stamp.rawValue
            // A stamp of zero: nobody stated the value.
            guard let stamp = Stamp(rawValue: stamp) else { continue }
            let field = vocabulary.entity(record.key.entity)?.fields.first { $0.name == name }
            let absent = node[BodyMember.absent]?[name].flatMap { try? field?.read($0) }
            fields[name] = Attribute(read: value, value: absent ?? value, stamp: stamp)
        }
    }

    /// Returns changes that send a device's values back to the server, with the stamps that they have there. Values
    /// that differ from the server's are left out. There is one change for each stamp.
    ///
    /// - Parameters:
    ///   - known: the values that the device had before it began anew.
    ///   - key: the record's key.
    func echoes(of known: [String: Value], _ key: ModelKey, by version: Int) -> [Change] {
        let same = fields.filter { known[$0.key] == $0.value.read }
        return Dictionary(grouping: same) { $0.value.stamp }.sorted { $0.key < $1.key }.map { stamp, said in
            Change(
                number: 0, key: key, operation: .update, stamp: stamp, isStamped: true,
                fields: Dictionary(uniqueKeysWithValues: said.map { ($0.key, $0.value.value) }), version: version)
        }
    }
}
