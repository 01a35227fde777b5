import WireFormats

/// The operations of a `SyncMirror` in one transaction of the `SyncStore`. The mirror copies edits between this store
/// and the app's own.
struct MirrorStep {
    private(set) var replica: Replica<SQLiteStorage>
    private let table: MirrorTable
    /// The time of the device's clock, in milliseconds since 1970.
    private let here: Int64
    /// The names of the entities that were edited in the `SyncStore` in this step.
    private(set) var entities: Set<String> = []

    init(_ replica: Replica<SQLiteStorage>, here: Int64) {
        self.replica = replica
        table = MirrorTable(replica.storage)
        self.here = here
    }

    private var kinds: [String: RecordKind] { replica.schema.kinds }

    // MARK: Reading the app's own store

    /// The meaning of a difference between a record in the app's own store and the mirror's copy of that record.
    enum Difference {
        /// An edit of the record by the user.
        case edits
        /// A record that the mirror finds in the app's own store when it runs for the first time. If the server has
        /// this record, too, the server's values win. Otherwise the record is new, and is sent to the server.
        case begun
        /// A difference that is found after an update of the app. The app's own code has migrated the record, so the
        /// difference is not an edit by the user.
        case rebased
    }

    /// Begins to mirror the app's own store, which has this identity, or continues if it was mirrored before.
    ///
    /// - Returns: the mirror's progress; `nil` if it cannot begin yet, because the device has not read the whole space.
    func begin(_ identity: String) throws -> MirrorTable.Memo? {
        if try table.memo().identity != identity { try table.begin(identity) }
        let memo = try table.memo()
        return memo.token == nil && !replica.storage.memo.hasReadAll ? nil : memo
    }

    func memo() throws -> MirrorTable.Memo { try table.memo() }

    func beginScan() throws -> Int64 {
        var memo = try table.memo()
        memo.scan += 1
        try table.set(memo)
        return memo.scan
    }

    func goOn(from token: String) throws {
        var memo = try table.memo()
        memo.token = token
        try table.set(memo)
    }

    func endRebasing() throws { try table.endRebasing() }

    mutating func collect(_ changes: MirrorChanges, as reading: Difference, scan: Int64? = nil) throws {
        let scan = try scan ?? table.memo().scan
        for (key, fields) in changes.records.sorted(by: { $0.key.id.text < $1.key.id.text }) {
            guard let kind = kinds[key.entity] else { continue }
            let row = try table.row(key, kind)
            try collect(key, fields.filter { kind.field($0.key) != nil }, kind, row, reading)
            let former = reading == .rebased ? row?.former ?? row?.base : nil
            try table.set(key, MirrorTable.Row(base: fields, former: former), kind, scan: scan)
        }
        for key in changes.deleted { try collectDeletion(key, reading) }
    }

    private mutating func collect(
        _ key: RecordKey, _ fields: [String: Value], _ kind: RecordKind, _ row: MirrorTable.Row?, _ reading: Difference
    ) throws {
        guard let row else {
            if reading == .begun, let known = try replica.storage.record(key) {
                return try giveWay(key, fields, to: known, kind)
            }
            return try edit(key, .create(key, fields))
        }
        if reading == .rebased { return try table.touch(key) }
        // Values that were being written when the mirror was interrupted are nobody's edit.
        let edited = fields.filter { name, value in
            ![row.former ?? row.base, row.intended].contains { $0.map { $0[name] ?? .null } == value }
        }
        if row.intended != nil { try table.touch(key) }
        if edited.isEmpty { return }
        // Others have deleted the record meanwhile: an edit brings it back.
        guard try replica.shown(key) != nil else { return try edit(key, .create(key, fields)) }
        try edit(key, kind.update(key, edited, from: row.former ?? row.base ?? [:]))
    }

    /// Handles a record that was in the app's own store before the app began to sync, and that the server has, too. The
    /// app's values may be older, so the server's values win. The user can still see the app's values as a conflict.
    private func giveWay(_ key: RecordKey, _ fields: [String: Value], to known: KnownRecord, _ kind: RecordKind) throws
    {
        try table.touch(key)
        let others = fields.filter { known.fields?[$0.key] != $0.value }
        guard !others.isEmpty || known.fields == nil else { return }
        let edit: Edit = known.fields == nil ? .create(key, fields) : .update(key, others)
        let json = replica.json(edit, stamp: Stamp(milliseconds: DeviceClock.bounded(here)).rawValue, kind)
        try replica.storage.append(
            SyncConflict(
                number: 0, verdict: .superseded, key: key, code: nil,
                detail: "the server had it when the app began to sync", kept: others.keys.sorted(), change: json))
    }

    private mutating func collectDeletion(_ key: RecordKey, _ reading: Difference) throws {
        guard try table.has(key) else { return }
        try table.remove(key)
        if reading == .rebased { return try table.touch(key) }
        if kinds[key.entity] != nil, try replica.shown(key) != nil { try edit(key, .delete(key)) }
    }

    /// Returns at most `count` records of the mirror's copy that were missing in a reading of the app's whole store.
    ///
    /// - Parameter scan: the number of this reading. Each reading of the whole store gets the next number.
    func unseen(_ scan: Int64, _ count: Int) throws -> [RecordKey] { try table.unseen(since: scan, first: count) }

    /// Treats records that were missing in a reading of the app's whole store as deleted.
    ///
    /// - Parameters:
    ///   - unseen: the records that were missing in the reading.
    ///   - existing: the records that the store has nevertheless. They are not treated as deleted.
    mutating func settle(
        _ unseen: [RecordKey], _ existing: Set<RecordKey>, _ scan: Int64, as reading: Difference
    ) throws {
        for key in unseen {
            if existing.contains(key) {
                try table.see(key, scan: scan)
            } else {
                try collectDeletion(key, reading)
            }
        }
    }

    /// Puts an edit into the outbox. An edit that cannot be sent becomes a conflict, so that it does not block other
    /// edits.
    private mutating func edit(_ key: RecordKey, _ edit: @autoclosure () throws -> Edit) throws {
        do {
            try replica.edit(edit(), here: here)
            entities.insert(key.entity)
        } catch let error as SyncSchemaError {
            try replica.storage.append(
                SyncConflict(
                    number: 0, verdict: .unsendable, key: key, code: nil, detail: error.description, kept: [],
                    change: "{}"))
        }
    }

    // MARK: Writing the app's own store

    /// A batch of edits to write into the app's own store, which does not have them yet.
    struct Batch: Sendable {
        /// The number of the last record that was examined in `mirror_touched`, the table of records that may differ
        /// between the two stores. It is `nil` if the table had no further record.
        var last: Int64?
        var edits: [MirrorEdit] = []
        /// The number that each edit's record has in `mirror_touched`, the table of records that may differ between the
        /// two stores. The first number is for the first of `edits`, and so on.
        var touches: [Int64] = []
        /// The records that the batch writes with null in place of a reference, because a later batch writes the target
        /// of the reference. The reference itself is written after that.
        var waiting: [RecordKey] = []
    }

    mutating func prepare(after number: Int64, _ count: Int, isDeleting: Bool) throws -> Batch {
        var batch = Batch()
        let touched = try table.touched(after: number, first: count)
        let coming = Set(touched.map(\.key))
        let scan = try table.memo().scan
        for (number, key) in touched {
            batch.last = number
            guard let kind = kinds[key.entity] else {
                try table.untouch(number)
                continue
            }
            let base = try table.row(key, kind)?.base
            var shown = try replica.shown(key)
            if shown == nil, base != nil, !isDeleting { continue }
            if try holdBack(&shown, kind, coming) { batch.waiting.append(key) }
            guard let operation = MirrorStep.operation(base, shown) else {
                try table.untouch(number)
                continue
            }
            batch.edits.append(MirrorEdit(key: key, operation: operation))
            batch.touches.append(number)
            try table.set(key, MirrorTable.Row(base: base, intended: shown ?? [:]), kind, scan: scan)
        }
        return batch
    }

    private static func operation(_ base: [String: Value]?, _ shown: [String: Value]?) -> MirrorEdit.Operation? {
        switch (base, shown) {
        case (nil, nil): return nil
        case (nil, let shown?): return .insert(shown)
        case (let base?, nil): return .delete(base)
        case (let base?, let shown?):
            var replacements: [String: MirrorEdit.Replacement] = [:]
            for (name, value) in shown where base[name] ?? .null != value {
                replacements[name] = MirrorEdit.Replacement(expected: base[name] ?? .null, new: value)
            }
            return replacements.isEmpty ? nil : .update(replacements)
        }
    }

    /// Replaces references to records that are missing in the app's own store with null. References to records in
    /// `coming`, the records of this batch, stay.
    ///
    /// - Returns: true if a later batch will write the target of a replaced reference.
    private func holdBack(
        _ fields: inout [String: Value]?, _ kind: RecordKind, _ coming: Set<RecordKey>
    ) throws -> Bool {
        var isWaiting = false
        for field in kind.fields {
            guard let entity = field.target, let text = fields?[field.name]?.idText else { continue }
            let target = RecordKey(entity: entity, id: RecordID(text))
            if coming.contains(target) { continue }
            if try table.has(target) { continue }
            fields?[field.name] = .null
            if try table.isTouched(target) { isWaiting = true }
        }
        return isWaiting
    }

    /// Updates the mirror's copy after a batch was written into the app's own store. If the user wrote another value
    /// there meanwhile, the next reading finds it, because it differs from the copy.
    mutating func finish(_ batch: Batch) throws {
        let scan = try table.memo().scan
        for (number, edit) in zip(batch.touches, batch.edits) {
            let key = edit.key
            if case .delete = edit.operation {
                try table.remove(key)
            } else if let kind = kinds[key.entity], let row = try table.row(key, kind) {
                try table.set(key, MirrorTable.Row(base: row.intended), kind, scan: scan)
            }
            try table.untouch(number)
        }
        for key in batch.waiting { try table.touch(key) }
    }
}
