import PlantedBugs
import WireFormats

extension Replica {
    /// The next request to make: what waits, and what is new.
    ///
    /// - Parameter here: what the device's clock shows, in milliseconds since 1970.
    public mutating func nextRequest(here: Int64) throws -> SyncRequest {
        if storage.memo.recovery == .offering {
            if let offer = try nextOffer() { return offer }
            storage.memo.recovery = .none
            beginWalk()
        }
        // A pull from nothing names every living record: what it has not named at its end is there no more. One that
        // has named nothing yet is not begun anew: two processes would do so by turns, and neither take its answer.
        if storage.memo.cursor == nil, !storage.memo.isWalking { beginWalk() }
        // Who reads anew cannot show that he has heard of what was replaced: his next edit would be taken for one from
        // before that.
        let readsFirst =
            storage.memo.recovery == .reading || cursorTrust == .doubted
            || storage.memo.isWalking && storage.memo.replacedUpTo > 0
        let batch = readsFirst ? [] : try nextBatch()
        return batch.isEmpty ? try pull(here) : try sync(batch, here)
    }

    mutating func beginWalk() {
        storage.memo.cursor = nil
        storage.memo.walk = min(max(storage.memo.walk, 0), ReplicaMemo.walkMax) + 1
        storage.memo.isWalking = true
    }

    /// The oldest changes, within the limits of a push, and all of one intent.
    private func nextBatch() throws -> [PendingChange] {
        var size = 0
        var batch: [PendingChange] = []
        for change in try storage.pending(first: limits.changes) {
            if holdsOtherVersions, change.version != schema.header { continue }
            size += change.json.utf8.count
            if let first = batch.first {
                guard size <= ReplicaLimits.pushSizeMaxBytes, change.isMassDeletion == first.isMassDeletion else {
                    break
                }
            }
            batch.append(change)
        }
        return batch
    }

    private mutating func sync(_ batch: [PendingChange], _ here: Int64) throws -> SyncRequest {
        if PlantedClientBug.outboxDropped.isPlanted { _ = try storage.takePending(batch.map(\.place)) }
        var writer = JSONWriter(capacity: batch.reduce(256) { $0 + $1.json.utf8.count + 1 })
        writer.beginObject()
        writer.member("changes", each: batch) { $0.raw(json: $1.json) }
        writer.member("cursor", storage.memo.cursor)
        if batch.first?.isMassDeletion == true { writer.member("intent", "mass-deletion") }
        writer.member("limit", ReplicaLimits.pageRecords)
        writer.member("stamps", true)
        writer.endObject()
        // An edit is what the user changed and nothing else, and stays one where a page came between it and this.
        return request(
            .sync, "POST", "sync", headers: try headers(here) + [("Repetitions", "none")], body: writer.bytes,
            places: batch.map(\.place))
    }

    private func pull(_ here: Int64) throws -> SyncRequest {
        var query = [("limit", "\(ReplicaLimits.pageRecords)"), ("stamps", "true")]
        if let cursor = storage.memo.cursor { query.append(("cursor", cursor)) }
        return request(.pull, "GET", "changes", query: query, headers: try headers(here))
    }

    /// What a stream of events is asked for with.
    public func eventHeaders(here: Int64) throws -> [(name: String, value: String)] { try headers(here) }

    private func headers(_ here: Int64) throws -> [(name: String, value: String)] {
        let oldest = try storage.pending(first: 1).first.map { Stamp(unchecked: $0.stamp).milliseconds }
        let age = oldest.map { max(0, (clock.milliseconds(here) - max(0, $0)) / 1000) } ?? 0
        return [
            ("Schema-Version", schema.header), ("Device-Id", storage.memo.device.description), ("Outbox-Age", "\(age)"),
        ]
    }

    private func request(
        _ kind: SyncRequest.Kind, _ method: String, _ action: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)], body: [UInt8]? = nil, places: [Int64] = [], offered: [RecordKey] = [],
        offers: Int = 0
    ) -> SyncRequest {
        SyncRequest(
            kind: kind, method: method, action: action, query: query, headers: headers, body: body,
            cursor: storage.memo.cursor, walk: storage.memo.walk, places: places, offered: offered,
            sentCount: kind == .offer ? offers : places.count)
    }

    // MARK: After a restored database

    /// What the device knew better of the next records that it has set aside; `nil` where all is said.
    private mutating func nextOffer() throws -> SyncRequest? {
        while true {
            let aside = try storage.aside(first: limits.offered)
            if aside.isEmpty { return nil }
            let keys = aside.map(\.key)
            let offers = try aside.flatMap { key, version, known in try said(of: key, version, known) }
            if offers.isEmpty || PlantedClientBug.offersNothing.isPlanted {
                try storage.removeAside(keys)
                continue
            }
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("changes", each: offers) { $0.raw(json: $1) }
            writer.member("intent", "mass-deletion")
            writer.endObject()
            // Without a cursor, so that nothing is taken for a repetition, and without the device: what others said is
            // no change of its own.
            return request(
                .offer, "POST", "changes", headers: [("Schema-Version", schema.header)], body: writer.bytes,
                offered: keys, offers: offers.count)
        }
    }

    private func said(of key: RecordKey, _ version: String, _ known: KnownRecord) throws -> [String] {
        // Of another version's record the server judges by the stamps alone.
        let kind = version == schema.header ? schema.kinds[key.entity] : kind(of: key.entity, in: version)
        guard let kind else { return [] }
        var came = version == schema.header ? try storage.record(key) : nil
        if let record = came, record.walk < storage.memo.walk { came = nil }
        return OfferWriter(
            key: key, version: version, kind: kind, offersCounters: came == nil && version == schema.header
        )
        .offers(known, came)
    }

    private func kind(of entity: String, in version: String) -> RecordKind? {
        guard let place = schema.place(of: version) else { return nil }
        return schema.history[place].entity(entity).map { RecordKind($0, in: schema.history[place]) }
    }
}

/// What a device says again of a record, each thing with the stamp that it had.
private struct OfferWriter {
    let key: RecordKey
    let version: String
    let kind: RecordKind
    /// Of a record that came, counters would be counted a second time.
    let offersCounters: Bool

    /// - Parameter came: what the restored server has of it.
    func offers(_ known: KnownRecord, _ came: KnownRecord?) -> [String] {
        guard let fields = known.fields else {
            let isKnown = came?.fields == nil && (came?.created ?? 0) >= known.created
            return known.created > 0 && !(came != nil && isKnown) ? [json("delete", at: known.created, nil)] : []
        }
        var said: [Int64: [String: Value]] = [:]
        for field in kind.fields {
            guard let read = fields[field.name], !field.isCounter else { continue }
            let value = known.absent[field.name] ?? read
            let stamp = known.stamp(of: field.name)
            if let came, let now = came.fields?[field.name] {
                let stampThere = came.stamp(of: field.name)
                guard
                    stamp > stampThere || stamp == stampThere && stamp > 0 && value != (came.absent[field.name] ?? now)
                else { continue }
            }
            // What nobody said is said of a record that the server lacks, as the very first.
            if stamp == 0, came != nil { continue }
            said[min(max(stamp, 1), Stamp.last.rawValue), default: [:]][field.name] = value
        }
        var offers: [String] = []
        for (stamp, values) in said.sorted(by: { $0.key < $1.key }) {
            offers.append(json("update", at: stamp, values))
        }
        let isCreatedLater = came.map { $0.fields == nil || known.created > $0.created } ?? true
        if known.created > 0, isCreatedLater {
            // Counters have their first value by a creation only.
            let first = fields.filter { name, _ in
                kind.counters.contains(name) ? offersCounters : known.stamp(of: name) == known.created
            }
            let absent = known.absent.filter { first[$0.key] != nil }
            offers.append(json("create", at: known.created, first.merging(absent) { $1 }))
        }
        return offers
    }

    private func json(_ operation: String, at stamp: Int64, _ fields: [String: Value]?) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("entity", key.entity)
            writer.member("id", key.id.text)
            writer.member("op", operation)
            // What releases before this one took from an answer may be none.
            writer.member("stamp", min(max(stamp, 1), Stamp.last.rawValue))
            writer.member("version", version)
            if let fields {
                writer.key("fields")
                kind.write(fields, to: &writer)
            }
            writer.endObject()
        }
    }
}
