package import WireFormats

/// A device's storage in memory, for tests and simulations. Its content is lost when the process ends.
package struct MemoryStorage: ReplicaStorage, Sendable {
    package var memo: ReplicaMemo
    private var records: [String: [RecordID: KnownRecord]] = [:]
    private var overlays: [RecordKey: Overlay] = [:]
    private var outbox: [PendingChange] = []
    private var asides: [RecordKey: (version: String, record: KnownRecord)] = [:]
    private var noted: [SyncConflict] = []
    /// The latest number that was given to a change (its position in the outbox) or to a conflict.
    private var last: Int64 = 0

    package init(device: ID, schema: SyncSchema) { memo = ReplicaMemo(device: device, version: schema.header) }

    package func record(_ key: RecordKey) -> KnownRecord? { records[key.entity]?[key.id] }

    package func forEachRecord(of entity: String, _ body: (RecordID, KnownRecord) throws -> Void) throws {
        for (id, record) in (records[entity] ?? [:]).sorted(by: { $0.key.text < $1.key.text }) { try body(id, record) }
    }

    package mutating func put(_ key: RecordKey, _ record: KnownRecord) {
        records[key.entity, default: [:]][key.id] = record
    }

    package mutating func removeRecords(before initialSync: Int64) {
        records = records.mapValues { $0.filter { $0.value.initialSync >= initialSync || $0.value.fields == nil } }
    }

    package mutating func removeTombstones(before stamp: Int64) {
        records = records.mapValues { $0.filter { $0.value.fields != nil || $0.value.stamp >= stamp } }
    }

    package mutating func removeAllRecords() { records = [:] }

    package mutating func rewriteRecords(
        _ body: (RecordKey, KnownRecord) throws -> [(key: RecordKey, record: KnownRecord)]
    ) throws {
        let before = records
        records = [:]
        for (entity, members) in before {
            for (id, record) in members {
                for (key, record) in try body(RecordKey(entity: entity, id: id), record) { put(key, record) }
            }
        }
    }

    package mutating func append(
        _ key: RecordKey, _ operation: OutgoingChange.Operation, stamp: Int64, version: String, json: String,
        isMassDeletion: Bool
    ) {
        last += 1
        outbox.append(
            PendingChange(
                position: last, key: key, operation: operation, stamp: stamp, version: version, json: json,
                isMassDeletion: isMassDeletion))
    }

    package func pending(first count: Int) -> [PendingChange] { Array(outbox.prefix(count)) }
    package func pending(at position: Int64) -> PendingChange? { outbox.first { $0.position == position } }
    package func pending(of key: RecordKey) -> [PendingChange] { outbox.filter { $0.key == key } }

    package func pendingKeys(of entity: String, version: String) -> Set<RecordID> {
        Set(outbox.filter { $0.key.entity == entity && $0.version == version }.map(\.key.id))
    }

    package var latestPendingStamp: Int64? { outbox.map(\.stamp).max() }
    package var hasPendingDeletions: Bool { outbox.contains { $0.operation == .delete } }

    package mutating func takePending(_ positions: [Int64]) -> [PendingChange] {
        let wanted = Set(positions)
        let taken = outbox.filter { wanted.contains($0.position) }
        outbox.removeAll { wanted.contains($0.position) }
        return taken
    }

    package func overlay(_ key: RecordKey) -> Overlay? { overlays[key] }

    package func overlayKeys(of entity: String) -> Set<RecordID> {
        Set(overlays.keys.filter { $0.entity == entity }.map(\.id))
    }

    package mutating func setOverlay(_ key: RecordKey, _ overlay: Overlay?) { overlays[key] = overlay }

    package mutating func removeSettledOverlays(version: String) {
        let unsent = Set(outbox.filter { $0.version != version }.map(\.key.id))
        overlays = overlays.filter { unsent.contains($0.key.id) }
    }

    package mutating func removeOverlays() { overlays = [:] }

    package mutating func setAside() {
        for (entity, members) in records {
            for (id, record) in members {
                let key = RecordKey(entity: entity, id: id)
                if let before = asides[key], before.record.stamp >= record.stamp { continue }
                asides[key] = (memo.version, record)
            }
        }
    }

    package func aside(first count: Int) -> [(key: RecordKey, version: String, record: KnownRecord)] {
        asides.sorted { ($0.key.entity, $0.key.id.text) < ($1.key.entity, $1.key.id.text) }.prefix(count)
            .map { ($0.key, $0.value.version, $0.value.record) }
    }

    package mutating func removeAside(_ keys: [RecordKey]) { for key in keys { asides[key] = nil } }

    package mutating func append(_ conflict: SyncConflict) {
        last += 1
        noted.append(conflict.numbered(last))
    }

    package func conflicts() -> [SyncConflict] { noted }
    package mutating func removeConflict(_ number: Int64) { noted.removeAll { $0.number == number } }
}
