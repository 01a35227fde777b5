import WireFormats

/// The operations within a call of `SyncStore.write`. All of them take effect together, or none does.
///
/// A transaction is valid only during the call.
public final class WriteTransaction {
    private var replica: Replica<SQLiteStorage>
    private let here: Int64
    /// The names of the entities that this transaction has written.
    private(set) var entities: Set<String> = []

    /// True if the user has confirmed a mass deletion: one of more than half of a space, and of at least 20 records.
    /// Without the confirmation the server refuses such a deletion, because it may come from a device that has lost its
    /// store.
    public var isMassDeletion = false

    init(_ replica: Replica<SQLiteStorage>, here: Int64) {
        self.replica = replica
        self.here = here
    }

    // MARK: Reading

    /// Returns one record, including changes by this transaction; `nil` if it does not exist.
    ///
    /// - Throws: `SyncStoreError`; `LensFailure` if the struct was generated for another version than the build's.
    public func record<Record: SyncRecord>(_ type: Record.Type, id: RecordID) throws -> Record? {
        try replica.record(type, id: id)
    }

    /// Returns all records of an entity, including changes by this transaction.
    ///
    /// - Throws: `SyncStoreError`; `LensFailure` if the struct was generated for another version than the build's.
    public func records<Record: SyncRecord>(of type: Record.Type) throws -> [Record] { try replica.records(of: type) }

    // MARK: Writing

    /// Creates a record.
    public func insert(_ record: some SyncRecord) throws { try apply(.create(record.key, try record.fields)) }

    /// Writes the attributes that differ from the stored record. Only these are sent, so that edits of other attributes
    /// by other devices are kept.
    ///
    /// - Throws: `SyncSchemaError` if there is no such record.
    public func update<Record: SyncRecord>(_ record: Record) throws {
        guard let before = try self.record(Record.self, id: record.recordID) else { throw noSuch(record.key) }
        try patch(record.key, from: before, to: record)
    }

    /// Changes a record: passes it to `body`, and writes the attributes that `body` has changed.
    ///
    /// - Throws: `SyncSchemaError` if there is no such record.
    public func update<Record: SyncRecord>(
        _ type: Record.Type, id: RecordID, _ body: (inout Record) throws -> Void
    ) throws {
        guard let before = try record(type, id: id) else { throw noSuch(type.key(id)) }
        var after = before
        try body(&after)
        try patch(type.key(id), from: before, to: after)
    }

    /// Deletes a record. Deleting one that does not exist is no error.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not have or an invalid id; `SyncStoreError`.
    public func delete(_ record: some SyncRecord) throws { try apply(.delete(record.key)) }

    /// Deletes the record with an id. Deleting one that does not exist is no error.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not have or an invalid id; `SyncStoreError`.
    public func delete<Record: SyncRecord>(_ type: Record.Type, id: RecordID) throws {
        try apply(.delete(type.key(id)))
    }

    /// Applies an edit whose attributes are given by name instead of by a struct.
    public func apply(_ edit: Edit) throws {
        try replica.edit(edit, here: here, isMassDeletion: isMassDeletion)
        entities.insert(edit.key.entity)
    }

    private func patch<Record: SyncRecord>(_ key: RecordKey, from before: Record, to after: Record) throws {
        let old = try before.fields
        let changed = try after.fields.filter { old[$0.key] != $0.value }
        let edit = try replica.schema.kind(key.entity).update(key, changed, from: old)
        if edit.fields.isEmpty && edit.increments.isEmpty { return }
        try apply(edit)
    }

    private func noSuch(_ key: RecordKey) -> SyncSchemaError { SyncSchemaError("there is no \(key) to change") }
}

extension Replica {
    func record<Record: SyncRecord>(_ type: Record.Type, id: RecordID) throws -> Record? {
        try shown(type.key(id)).map { try Record(RecordFields(id: id, values: $0)) }
    }

    func records<Record: SyncRecord>(of type: Record.Type) throws -> [Record] {
        var records: [Record] = []
        try forEachShown(of: type.entity) { records.append(try Record(RecordFields(id: $0, values: $1))) }
        return records
    }
}

extension RecordKind {
    /// Returns an edit that gives attributes their changed values. A changed counter becomes an increment, so that
    /// increments by other devices are kept.
    ///
    /// - Parameters:
    ///   - changed: the new values of the changed attributes, by name.
    ///   - before: the values before the change, from which the increments are computed.
    /// - Throws: `SyncSchemaError` for an increment that does not fit into 64 bits.
    func update(
        _ key: RecordKey, _ changed: [String: Value], from before: [String: Value]
    ) throws(SyncSchemaError) -> Edit {
        var fields = changed
        var increments: [String: Int64] = [:]
        for name in counters {
            guard case .int(let sum)? = fields.removeValue(forKey: name) else { continue }
            guard case .int(let former)? = before[name] else { continue }
            let (amount, overflow) = sum.subtractingReportingOverflow(former)
            guard !overflow else { throw SyncSchemaError("\(key.entity).\(name) cannot grow by so much at once") }
            increments[name] = amount
        }
        return .update(key, fields, increments: increments)
    }
}
