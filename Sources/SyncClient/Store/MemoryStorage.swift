public import WireFormats

/// A device's storage in memory, which ends with its process: for tests and simulations.
public struct MemoryStorage: ReplicaStorage, Sendable {
    public var memo: ReplicaMemo
    private var records: [String: [RecordID: KnownRecord]] = [:]
    private var overlays: [RecordKey: Overlay] = [:]
    private var outbox: [PendingChange] = []
    private var asides: [RecordKey: (version: String, record: KnownRecord)] = [:]
    private var noted: [SyncConflict] = []
    /// The last number that was given to a change or a conflict.
    private var last: Int64 = 0

    public init(device: ID, schema: SyncSchema) { memo = ReplicaMemo(device: device, version: schema.header) }

    public func record(_ key: RecordKey) -> KnownRecord? { records[key.entity]?[key.id] }

    public func forEachRecord(of entity: String, _ body: (RecordID, KnownRecord) throws -> Void) throws {
        for (id, record) in (records[entity] ?? [:]).sorted(by: { $0.key.text < $1.key.text }) { try body(id, record) }
    }

    public mutating func put(_ key: RecordKey, _ record: KnownRecord) {
        records[key.entity, default: [:]][key.id] = record
    }

    public mutating func removeRecords(before walk: Int64) {
        records = records.mapValues { $0.filter { $0.value.walk >= walk || $0.value.fields == nil } }
    }

    public mutating func removeTombstones(before stamp: Int64) {
        records = records.mapValues { $0.filter { $0.value.fields != nil || $0.value.stamp >= stamp } }
    }

    public mutating func removeAllRecords() { records = [:] }

    public mutating func rewriteRecords(
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

    public mutating func append(
        _ key: RecordKey, _ operation: OutgoingChange.Operation, stamp: Int64, version: String, json: String,
        isMassDeletion: Bool
    ) {
        last += 1
        outbox.append(
            PendingChange(
                place: last, key: key, operation: operation, stamp: stamp, version: version, json: json,
                isMassDeletion: isMassDeletion))
    }

    public func pending(first count: Int) -> [PendingChange] { Array(outbox.prefix(count)) }
    public func pending(at place: Int64) -> PendingChange? { outbox.first { $0.place == place } }
    public func pending(of key: RecordKey) -> [PendingChange] { outbox.filter { $0.key == key } }

    public func pendingKeys(of entity: String, version: String) -> Set<RecordID> {
        Set(outbox.filter { $0.key.entity == entity && $0.version == version }.map(\.key.id))
    }

    public var latestPendingStamp: Int64? { outbox.map(\.stamp).max() }
    public var hasPendingDeletions: Bool { outbox.contains { $0.operation == .delete } }

    public mutating func takePending(_ places: [Int64]) -> [PendingChange] {
        let wanted = Set(places)
        let taken = outbox.filter { wanted.contains($0.place) }
        outbox.removeAll { wanted.contains($0.place) }
        return taken
    }

    public func overlay(_ key: RecordKey) -> Overlay? { overlays[key] }

    public func overlayKeys(of entity: String) -> Set<RecordID> {
        Set(overlays.keys.filter { $0.entity == entity }.map(\.id))
    }

    public mutating func setOverlay(_ key: RecordKey, _ overlay: Overlay?) { overlays[key] = overlay }

    public mutating func removeSettledOverlays(version: String) {
        let unsent = Set(outbox.filter { $0.version != version }.map(\.key.id))
        overlays = overlays.filter { unsent.contains($0.key.id) }
    }

    public mutating func removeOverlays() { overlays = [:] }

    public mutating func setAside() {
        for (entity, members) in records {
            for (id, record) in members {
                let key = RecordKey(entity: entity, id: id)
                if let before = asides[key], before.record.stamp >= record.stamp { continue }
                asides[key] = (memo.version, record)
            }
        }
    }

    public func aside(first count: Int) -> [(key: RecordKey, version: String, record: KnownRecord)] {
        asides.sorted { ($0.key.entity, $0.key.id.text) < ($1.key.entity, $1.key.id.text) }.prefix(count)
            .map { ($0.key, $0.value.version, $0.value.record) }
    }

    public mutating func removeAside(_ keys: [RecordKey]) { for key in keys { asides[key] = nil } }

    public mutating func append(_ conflict: SyncConflict) {
        last += 1
        noted.append(conflict.numbered(last))
    }

    public func conflicts() -> [SyncConflict] { noted }
    public mutating func removeConflict(_ number: Int64) { noted.removeAll { $0.number == number } }
}
