import PlantedBugs
import StrictJSON
import WireFormats

extension Replica {
    /// Returns the next request to send: a push of waiting changes with a pull, a pull alone, or an offer. An offer
    /// sends records to a server that was restored from a backup and may lack them.
    ///
    /// - Parameter here: the time of the device's clock, in milliseconds since 1970.
    package mutating func nextRequest(here: Int64) throws -> SyncRequest {
        if storage.memo.recovery == .offering {
            if let offer = try nextOffer() { return offer }
            storage.memo.recovery = .none
            beginInitialSync()
        }
        // A pull from the beginning contains every record: records that it has not contained at its end no longer
        // exist. An initial sync without a record so far is not begun anew: two processes would do so by turns, and
        // neither would apply its answer.
        if storage.memo.cursor == nil, !storage.memo.isInitialSyncRunning { beginInitialSync() }
        // A device that reads anew cannot show that it knows of replaced stamps: the server would take its next edit
        // for one made before the replacement.
        let readsFirst =
            storage.memo.recovery == .reading || cursorTrust == .doubted
            || storage.memo.isInitialSyncRunning && storage.memo.replacedUpTo > 0
        let batch = readsFirst ? [] : try nextBatch()
        return batch.isEmpty ? try pull(here) : try sync(batch, here)
    }

    mutating func beginInitialSync() {
        storage.memo.cursor = nil
        storage.memo.initialSync = min(max(storage.memo.initialSync, 0), ReplicaMemo.initialSyncMax) + 1
        storage.memo.isInitialSyncRunning = true
    }

    /// Returns the oldest changes that fit into one push. Changes of a confirmed mass deletion are not mixed with
    /// others.
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
        if PlantedClientBug.outboxDropped.isPlanted { _ = try storage.takePending(batch.map(\.position)) }
        var writer = JSONWriter(capacity: batch.reduce(256) { $0 + $1.json.utf8.count + 1 })
        writer.beginObject()
        writer.member(BodyMember.changes, each: batch) { $0.raw(json: $1.json) }
        writer.member(BodyMember.cursor, storage.memo.cursor)
        if batch.first?.isMassDeletion == true { writer.member(BodyMember.intent, PushIntent.massDeletion.description) }
        writer.member(BodyMember.limit, ReplicaLimits.pageRecords)
        writer.member(BodyMember.stamps, true)
        writer.endObject()
        // An edit holds only the user's changes, and stays an edit even if a page arrived between it and this request.
        return request(
            .sync, "POST", SpaceAction.sync,
            headers: try headers(here) + [(HeaderName.repetitions, HeaderName.noRepetitions)], body: writer.bytes,
            positions: batch.map(\.position))
    }

    private func pull(_ here: Int64) throws -> SyncRequest {
        var query = [(QueryParameter.limit, "\(ReplicaLimits.pageRecords)"), (QueryParameter.stamps, "true")]
        if let cursor = storage.memo.cursor { query.append((QueryParameter.cursor, cursor)) }
        return request(.pull, "GET", SpaceAction.changes, query: query, headers: try headers(here))
    }

    /// The headers of a request for a stream of events.
    package func eventHeaders(here: Int64) throws -> [(name: String, value: String)] { try headers(here) }

    private func headers(_ here: Int64) throws -> [(name: String, value: String)] {
        let oldest = try storage.pending(first: 1).first.map { Stamp(unchecked: $0.stamp).milliseconds }
        let age = oldest.map { max(0, (clock.milliseconds(here) - max(0, $0)) / 1000) } ?? 0
        return [
            (HeaderName.schemaVersion, schema.header), (HeaderName.deviceID, storage.memo.device.description),
            (HeaderName.outboxAge, "\(age)"),
        ]
    }

    private func request(
        _ kind: SyncRequest.Kind, _ method: String, _ action: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)], body: [UInt8]? = nil, positions: [Int64] = [],
        offered: [RecordKey] = [],
        offers: Int = 0
    ) -> SyncRequest {
        SyncRequest(
            kind: kind, method: method, action: action, query: query, headers: headers, body: body,
            cursor: storage.memo.cursor, initialSync: storage.memo.initialSync, positions: positions, offered: offered,
            sentCount: kind == .offer ? offers : positions.count)
    }

    // MARK: After a restored database

    /// Returns a request that offers records to a server that was restored from a backup and may lack them; `nil` if
    /// all were offered. The offered records are the copies that were made when the server reported its restoration.
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
            writer.member(BodyMember.changes, each: offers) { $0.raw(json: $1) }
            writer.member(BodyMember.intent, PushIntent.massDeletion.description)
            writer.endObject()
            // Without a cursor, so that nothing is taken for a repetition, and without the device id, because edits by
            // others are not changes of this device.
            return request(
                .offer, "POST", SpaceAction.changes, headers: [(HeaderName.schemaVersion, schema.header)],
                body: writer.bytes,
                offered: keys, offers: offers.count)
        }
    }

    private func said(of key: RecordKey, _ version: String, _ known: KnownRecord) throws -> [String] {
        // For a record of another version, the server judges by the stamps alone.
        let kind = version == schema.header ? schema.kinds[key.entity] : kind(of: key.entity, in: version)
        guard let kind else { return [] }
        var came = version == schema.header ? try storage.record(key) : nil
        if let record = came, record.initialSync < storage.memo.initialSync { came = nil }
        return OfferWriter(
            key: key, version: version, kind: kind, offersCounters: came == nil && version == schema.header
        )
        .offers(known, came)
    }

    private func kind(of entity: String, in version: String) -> RecordKind? {
        guard let index = schema.index(of: version) else { return nil }
        return schema.history[index].entity(entity).map { RecordKind($0, in: schema.history[index]) }
    }
}

/// Makes the changes that offer one record to a server that was restored from a backup and may lack it. Each value is
/// sent with its original stamp.
private struct OfferWriter {
    let key: RecordKey
    let version: String
    let kind: RecordKind
    /// True if the changes contain the values of counters. This is so only if the server lacks the record. Otherwise
    /// the server would add a value that its counter already contains.
    let offersCounters: Bool

    /// Returns the changes to send, as JSON.
    ///
    /// - Parameters:
    ///   - known: the device's copy of the record from before the server was restored.
    ///   - came: the record as the restored server sent it. It is `nil` if the server lacks the record, or if `known`
    ///     is stored in another version than the build's.
    func offers(_ known: KnownRecord, _ came: KnownRecord?) -> [String] {
        guard let fields = known.fields else {
            let isKnown = came?.fields == nil && (came?.created ?? 0) >= known.created
            return known.created > 0 && !(came != nil && isKnown) ? [json(.delete, at: known.created, nil)] : []
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
            // If the server lacks the record, values that nobody has set are sent with the earliest stamp.
            if stamp == 0, came != nil { continue }
            said[min(max(stamp, 1), Stamp.last.rawValue), default: [:]][field.name] = value
        }
        var offers: [String] = []
        for (stamp, values) in said.sorted(by: { $0.key < $1.key }) {
            offers.append(json(.update, at: stamp, values))
        }
        let isCreatedLater = came.map { $0.fields == nil || known.created > $0.created } ?? true
        if known.created > 0, isCreatedLater {
            // Only a creation can set a counter's first value.
            let first = fields.filter { name, _ in
                kind.counters.contains(name) ? offersCounters : known.stamp(of: name) == known.created
            }
            let absent = known.absent.filter { first[$0.key] != nil }
            offers.append(json(.create, at: known.created, first.merging(absent) { $1 }))
        }
        return offers
    }

    private func json(_ operation: ChangeOperation, at stamp: Int64, _ fields: [String: Value]?) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member(BodyMember.entity, key.entity)
            writer.member(BodyMember.id, key.id.text)
            writer.member(BodyMember.operation, operation.rawValue)
            // Earlier releases may have stored a number from an answer that is not a valid stamp.
            writer.member(BodyMember.stamp, min(max(stamp, 1), Stamp.last.rawValue))
            writer.member(BodyMember.version, version)
            if let fields {
                writer.key(BodyMember.fields)
                kind.write(fields, to: &writer)
            }
            writer.endObject()
        }
    }
}
