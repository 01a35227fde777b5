import PlantedBugs
public import WireFormats

/// A device's half of the protocol, without network, disk and clock: edits, answers and the time go in; requests and
/// what is to be stored come out. `docs/protocol.md` says why each step is as it is.
///
/// What the server told is kept apart from what the user did and the server has not answered yet; what the user sees is
/// the one with the other on top. So a change that is refused leaves nothing behind when it leaves the outbox.
///
/// Each mutating call is one transaction of `storage`. One request at a time is under way.
public struct Replica<Storage: ReplicaStorage> {
    public var storage: Storage
    public let schema: SyncSchema
    /// Set by each answer, and not kept: the device's own clock may be put right while the app is away.
    public internal(set) var clock = DeviceClock()
    var limits = ReplicaLimits()
    /// Whether changes of other versions wait, because the server does not know one of these yet.
    var holdsOtherVersions = false
    /// What is known of the cursor since requests began.
    var cursorTrust = CursorTrust.unasked

    /// Whether a cursor is one of the server's.
    enum CursorTrust: Sendable {
        case unasked
        /// A push with it could not be read.
        case doubted
        /// A pull with it was answered, though a push could not be read.
        case good
    }

    /// Goes on with a store, migrating it if the app was updated since, or dropping its records where it cannot be
    /// migrated; the outbox stays in any case.
    ///
    /// - Parameter here: what the device's clock shows, in milliseconds since 1970, for a store whose own clock is not
    ///   to be believed; the server's latest answer counts where it is not given.
    public init(_ storage: Storage, schema: SyncSchema, here: Int64? = nil) throws {
        self.storage = storage
        self.schema = schema
        if PlantedClientBug.clockForgotten.isPlanted { (self.storage.memo.clock, self.storage.memo.standing) = (0, 0) }
        try recoverClock(here: here)
        try recoverPlace()
        if storage.memo.version != schema.header { try migrate() }
    }

    /// A store as it is, in the version of its records.
    init(opened storage: Storage, schema: SyncSchema) {
        self.storage = storage
        self.schema = schema
    }

    // MARK: What the user does

    /// Puts a change into the outbox, in the version and at the time in which it is made. The user sees it at once. An
    /// update of nothing is none.
    ///
    /// - Parameters:
    ///   - here: what the device's clock shows, in milliseconds since 1970.
    ///   - isMassDeletion: whether the user has confirmed that so much goes.
    /// - Throws: `SyncSchemaError` for what the version does not have, or a value that its attribute cannot have.
    public mutating func edit(_ edit: Edit, here: Int64, isMassDeletion: Bool = false) throws {
        let kind = try schema.kind(edit.key.entity)
        try kind.check(edit)
        if edit.operation == .update, edit.fields.isEmpty, edit.increments.isEmpty { return }
        let stamp = try nextStamp(of: edit.key, here: here)
        let json = json(edit, stamp: stamp, kind)
        try storage.append(
            edit.key, edit.operation, stamp: stamp, version: schema.header, json: json, isMassDeletion: isMassDeletion)
    }

    /// An edit as it travels.
    func json(_ edit: Edit, stamp: Int64, _ kind: RecordKind) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("entity", edit.key.entity)
            writer.member("id", edit.key.id.text)
            writer.member("op", edit.operation.rawValue)
            writer.member("stamp", stamp)
            writer.member("version", schema.header)
            if edit.operation != .delete {
                writer.key("fields")
                kind.write(edit.fields, to: &writer)
            }
            if !edit.increments.isEmpty {
                writer.key("increments")
                writer.beginObject()
                for (name, amount) in edit.increments.sorted(by: { $0.key < $1.key }) { writer.member(name, amount) }
                writer.endObject()
            }
            writer.endObject()
        }
    }

    // MARK: What the user sees

    /// A record as its user sees it; `nil` where there is none.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not have.
    public func shown(_ key: RecordKey) throws -> [String: Value]? {
        let kind = try schema.kind(key.entity)
        guard let fields = try shown(key, kind) else { return nil }
        return try storage.hasPendingDeletions ? withoutHiddenTargets(fields, kind) : fields
    }

    /// All records of an entity as the user sees them: those that the server told in the order of their ids, then those
    /// that it does not know yet.
    public func forEachShown(of entity: String, _ body: (RecordID, [String: Value]) throws -> Void) throws {
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
        // What an older version of the app did was migrated with the store.
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

    /// References to what the user has deleted read as null before the server says so.
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

/// How much a device sends and asks for at a time.
struct ReplicaLimits {
    /// A push of this size is answered within a fraction of a second. What the server calls too large is halved.
    static let changesMax = 1_000
    /// A phone on a bad line must get a push through.
    static let pushSizeMaxBytes = 1 << 20
    static let pageRecords = 1_000
    /// Records that are offered in one request to a server that was restored.
    static let offeredMax = 200
    /// How long syncing rests where the user is to decide, or somebody else. Who let it stop may have been no server of
    /// the app's, members come back, and versions are restored: it is asked once an hour.
    static let stopReviewSeconds = 3600.0
    /// How long deleted records are remembered, as servers do by default (`Collector.ageDefault`).
    static let tombstonesMaxMilliseconds: Int64 = 180 * 86_400_000

    var changes = ReplicaLimits.changesMax
    var offered = ReplicaLimits.offeredMax

    /// After an answer: what was too large once may have been one large record.
    mutating func grow() {
        changes = min(changes * 2, ReplicaLimits.changesMax)
        offered = min(offered * 2, ReplicaLimits.offeredMax)
    }
}

extension RecordKind {
    /// What is known of a record of which nothing was said.
    var beginning: [String: Value] {
        Dictionary(uniqueKeysWithValues: fields.compactMap { field in field.initial.map { (field.name, $0) } })
    }

    /// Every attribute. What only the server knows is missing until it tells.
    func whole(_ known: [String: Value]) -> [String: Value] {
        if known.count == fields.count { return known }
        var whole = known
        for field in fields where whole[field.name] == nil { whole[field.name] = field.initial ?? field.placeholder }
        return whole
    }

    /// The id of a record as it travels; `nil` for what can be none.
    func id(_ text: String) -> RecordID? {
        guard (1...Schema.idSizeMaxBytes).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        return identityType == .string ? RecordID(text) : ID(text).map { RecordID($0) }
    }

    /// - Throws: `SyncSchemaError` where the server would reject the edit.
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
        // The server refuses what does not fit.
        if !overflow { self[counter] = .int(next) }
    }
}

extension Value {
    /// Of a reference, the id of its target.
    var idText: String? {
        switch self {
        case .uuid(let id): id.description
        case .string(let text): text
        default: nil
        }
    }
}
