import PlantedBugs
import StrictJSON
package import WireFormats

/// The device's part of the sync protocol, without access to network, disk or clock. The caller passes in the user's
/// edits, the server's answers and the time. The `Replica` returns the requests to send, and decides what `storage`
/// keeps. `docs/protocol.md` gives the reason for each step.
///
/// The records that the server sent are kept apart from edits that the server has not answered yet. The user sees the
/// records with these edits applied. So when a refused edit leaves the outbox, no trace of it remains in the records.
///
/// Each mutating call must be one transaction of `storage`. Only one request may be under way at a time.
package struct Replica<Storage: ReplicaStorage> {
    package var storage: Storage
    package let schema: SyncSchema
    /// The clock, corrected by each answer. It is not stored, because the device's own clock may be set right while the
    /// app is not running.
    package internal(set) var clock = DeviceClock()
    var limits = ReplicaLimits()
    /// True if changes by other versions of the app stay in the outbox for now, because the server does not know all of
    /// those versions yet.
    var holdsOtherVersions = false
    /// The degree to which the stored cursor is trusted in the current sync.
    var cursorTrust = CursorTrust.unasked

    /// The degree to which the stored cursor is trusted. It depends on the server's answers to requests with the
    /// cursor.
    enum CursorTrust: Sendable {
        case unasked
        /// A state in which the cursor may be invalid, because the server could not read a push that contained it. The
        /// fault may also be in the push.
        case doubted
        /// A state in which the cursor is valid, because the server has answered a pull with it. A push that the server
        /// cannot read is therefore itself faulty.
        case good
    }

    /// Makes the replica of an existing store. If the app was updated since the store was last opened, the store is
    /// migrated. If it cannot be migrated, its records are dropped. The outbox stays in any case.
    ///
    /// - Parameter here: the time of the device's clock, in milliseconds since 1970. It is used if the clock value in
    ///   the store is not plausible. If it is `nil`, the time of the server's latest answer is used instead.
    package init(_ storage: Storage, schema: SyncSchema, here: Int64? = nil) throws {
        self.storage = storage
        self.schema = schema
        if PlantedClientBug.clockForgotten.isPlanted {
            (self.storage.memo.clock, self.storage.memo.latestAcceptedStamp) = (0, 0)
        }
        try recoverClock(here: here)
        try recoverPlace()
        if storage.memo.version != schema.header { try migrate() }
    }

    /// Makes the replica of a store without migrating the store. The last version in `schema` must be the one in which
    /// the store's records are stored.
    init(opened storage: Storage, schema: SyncSchema) {
        self.storage = storage
        self.schema = schema
    }

    // MARK: What the user does

    /// Puts a change into the outbox, with the current version and time. The user sees it at once. An update that sets
    /// nothing is ignored.
    ///
    /// - Parameters:
    ///   - here: the time of the device's clock, in milliseconds since 1970.
    ///   - isMassDeletion: true if the user has confirmed a mass deletion.
    /// - Throws: `SyncSchemaError` for an entity or attribute that the version does not have, or a value that its
    ///   attribute cannot have.
    package mutating func edit(_ edit: Edit, here: Int64, isMassDeletion: Bool = false) throws {
        let kind = try schema.kind(edit.key.entity)
        try kind.check(edit)
        if edit.operation == .update, edit.fields.isEmpty, edit.increments.isEmpty { return }
        let stamp = try nextStamp(of: edit.key, here: here)
        let json = json(edit, stamp: stamp, kind)
        try storage.append(
            edit.key, edit.operation, stamp: stamp, version: schema.header, json: json, isMassDeletion: isMassDeletion)
    }

    /// Returns the JSON of an edit, as it is sent.
    func json(_ edit: Edit, stamp: Int64, _ kind: RecordKind) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member(BodyMember.entity, edit.key.entity)
            writer.member(BodyMember.id, edit.key.id.text)
            writer.member(BodyMember.operation, edit.operation.rawValue)
            writer.member(BodyMember.stamp, stamp)
            writer.member(BodyMember.version, schema.header)
            if edit.operation != .delete {
                writer.key(BodyMember.fields)
                kind.write(edit.fields, to: &writer)
            }
            if !edit.increments.isEmpty {
                writer.key(BodyMember.increments)
                writer.beginObject()
                for (name, amount) in edit.increments.sorted(by: { $0.key < $1.key }) { writer.member(name, amount) }
                writer.endObject()
            }
            writer.endObject()
        }
    }

    // MARK: What the user sees

    /// Returns a record as the user sees it; `nil` if it does not exist.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not have.
    package func shown(_ key: RecordKey) throws -> [String: Value]? {
        let kind = try schema.kind(key.entity)
        guard let fields = try shown(key, kind) else { return nil }
        return try storage.hasPendingDeletions ? withoutHiddenTargets(fields, kind) : fields
    }

    /// Calls `body` with all records of an entity as the user sees them. The records that the server has sent come
    /// first, in the order of their ids. The records that the server does not know yet come last.
    package func forEachShown(of entity: String, _ body: (RecordID, [String: Value]) throws -> Void) throws {
        let kind = try schema.kind(entity)
        let hidesTargets = try storage.hasPendingDeletions
        var edited = try storage.pendingKeys(of: entity, version: schema.header)
            .union(storage.overlayKeys(of: entity))
        func show(_ id: RecordID, _ fields: [String: Value]) throws {
            try body(id, hidesTargets ? withoutHiddenTargets(fields, kind) : fields)
        }
        try storage.forEachRecord(of: entity) { id, record in
            if edited.remove(id) != nil {
                if let fields = try shown(RecordKey(entity: entity, id: id), kind) { try show(id, fields) }
            } else if let fields = record.fields {
                try show(id, kind.whole(fields))
            }
        }
        for id in edited.sorted(by: { $0.text < $1.text }) {
            if let fields = try shown(RecordKey(entity: entity, id: id), kind) { try show(id, fields) }
        }
    }

    private func shown(_ key: RecordKey, _ kind: RecordKind) throws -> [String: Value]? {
        var fields = try storage.record(key)?.fields
        switch try storage.overlay(key) {
        case .deleted: fields = nil
        case .fields(let others): fields = (fields ?? [:]).merging(others) { $1 }
        case nil: break
        }
        // Changes by an older version of the app were migrated with the store.
        for change in try storage.pending(of: key) where change.version == schema.header {
            let (edited, increments) = change.content(kind)
            switch change.operation {
            case .delete: fields = nil
            case .create: fields = (fields ?? kind.beginning).merging(edited) { $1 }
            case .update: fields?.merge(edited) { $1 }
            }
            for (name, amount) in increments { fields?.add(amount, to: name) }
        }
        return fields.map { kind.whole($0) }
    }

    /// Replaces references to records that the user has deleted with null, as the server will do.
    private func withoutHiddenTargets(_ fields: [String: Value], _ kind: RecordKind) throws -> [String: Value] {
        var fields = fields
        for field in kind.fields {
            guard let entity = field.target, let text = fields[field.name]?.idText, let target = schema.kinds[entity]
            else { continue }
            if try shown(RecordKey(entity: entity, id: RecordID(text)), target) == nil { fields[field.name] = .null }
        }
        return fields
    }
}

/// The limits of requests and of a store.
struct ReplicaLimits {
    /// The maximum number of changes in a push. The server answers a push of this size within a fraction of a second.
    /// If it refuses a push as too large, the next one has half as many changes.
    static let changesMax = 1_000
    /// The largest size of a push, in bytes. A phone on a bad line must get a push through.
    static let pushSizeMaxBytes = 1 << 20
    static let pageRecords = 1_000
    /// The maximum number of records that one request offers to a server that was restored from a backup.
    static let offeredMax = 200
    /// The pause between requests while syncing has stopped, in seconds. Requests go on because the cause may pass: for
    /// example, an owner may add the user to the space again.
    static let stopReviewSeconds = 3600.0
    /// The time in milliseconds for which deleted records are remembered, as servers do by default
    /// (`Collector.ageDefault`).
    static let tombstonesMaxMilliseconds: Int64 = 180 * 86_400_000

    var changes = ReplicaLimits.changesMax
    var offered = ReplicaLimits.offeredMax

    /// Doubles the limits on the size of requests, up to their maxima, after the server has answered a request. A limit
    /// is halved when a request is too large, but one large record may be the only cause of that.
    mutating func grow() {
        changes = min(changes * 2, ReplicaLimits.changesMax)
        offered = min(offered * 2, ReplicaLimits.offeredMax)
    }
}

extension RecordKind {
    /// The values of a new record, by attribute: the default of each attribute, unless only the server knows it.
    var beginning: [String: Value] {
        Dictionary(uniqueKeysWithValues: fields.compactMap { field in field.initial.map { (field.name, $0) } })
    }

    /// Returns a record's known values, completed with the defaults of the other attributes. If only the server knows a
    /// default, the attribute gets a placeholder until the server sends the value.
    func whole(_ known: [String: Value]) -> [String: Value] {
        if known.count == fields.count { return known }
        var whole = known
        for field in fields where whole[field.name] == nil { whole[field.name] = field.initial ?? field.placeholder }
        return whole
    }

    /// Reads the id of a record of this entity from a JSON string; `nil` for an invalid id.
    func id(_ text: String) -> RecordID? {
        guard (1...Schema.idSizeMaxBytes).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        return identityType == .string ? RecordID(text) : ID(text).map { RecordID($0) }
    }

    /// Checks an edit against the version's rules.
    ///
    /// - Throws: `SyncSchemaError` if the server would reject the edit.
    func check(_ edit: Edit) throws(SyncSchemaError) {
        for (name, value) in edit.fields {
            guard let field = field(name) else {
                throw SyncSchemaError("\(self.name) has no attribute ‘\(name)’ that is synced")
            }
            guard field.wireType.admits(value) else {
                throw SyncSchemaError("\(self.name).\(name) is \(field.type), and cannot be \(value.brief)")
            }
            if field.isCounter, edit.operation == .update {
                throw SyncSchemaError("\(self.name).\(name) is a counter: say what was added, in ‘increments’")
            }
        }
        if let name = edit.increments.keys.first(where: { !counters.contains($0) }) {
            throw SyncSchemaError("\(self.name).\(name) is no counter")
        }
        guard id(edit.key.id.text) != nil else {
            throw SyncSchemaError("‘\(edit.key.id.text.prefix(60))’ is no id of a \(self.name)")
        }
        guard edit.operation == .create else { return }
        if let field = fields.first(where: { !$0.isOmissible && edit.fields[$0.name] == nil }) {
            throw SyncSchemaError("a new \(self.name) needs ‘\(field.name)’")
        }
    }
}

extension [String: Value] {
    mutating func add(_ amount: Int64, to counter: String) {
        guard case .int(let sum)? = self[counter] else { return }
        let (next, overflow) = sum.addingReportingOverflow(amount)
        // The server refuses a sum that does not fit.
        if !overflow { self[counter] = .int(next) }
    }
}

extension Value {
    /// The id of the referenced record, if the value is that of a reference; `nil` for a value of another type.
    var idText: String? {
        switch self {
        case .uuid(let id): id.description
        case .string(let text): text
        default: nil
        }
    }
}
