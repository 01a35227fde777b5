import StrictJSON
import WireFormats

/// A device's storage in a SQLite file, with a write-ahead log. Each commit is on disk before it returns.
///
/// A class, because an instance owns its connection to the file. It must not be used by two threads at a time.
package final class SQLiteStorage: ReplicaStorage {
    package var memo: ReplicaMemo
    /// The device's state as it is in the file. `memo` may have changes that are not written yet.
    private var stored: ReplicaMemo
    let database: SQLiteDatabase
    private let schema: SyncSchema
    /// The descriptions of the entities, by name, in the version in which the records are stored.
    private var kinds: [String: RecordKind]

    /// The number of conflicts that are kept; older ones are deleted. A conflict about a change that cannot be sent is
    /// never deleted, because that change is stored nowhere else.
    private static let conflictsMax: Int64 = 1_000

    /// Opens the file at `path`, or creates it.
    ///
    /// - Parameter isReader: true for a storage that only reads; then the file must exist.
    /// - Throws: `SyncStoreError`.
    init(path: String, schema: SyncSchema, isReader: Bool = false) throws {
        database = try SQLiteDatabase(path: path, isReader: isReader)
        if !isReader { try StoreFormat.prepare(database, path, schema) }
        self.schema = schema
        guard let memo = try StoreFormat.memo(database) else {
            throw SyncStoreError(.damaged, "the store \(path) has lost what it is; SyncStore.salvage makes a new one")
        }
        (self.memo, stored) = (memo, memo)
        kinds = SQLiteStorage.kinds(of: memo.version, schema)
    }

    private static func kinds(of version: String, _ schema: SyncSchema) -> [String: RecordKind] {
        if version == schema.header { return schema.kinds }
        guard let index = schema.index(of: version),
            let older = try? SyncSchema(app: schema.app, history: [schema.history[index]])
        else { return [:] }
        return older.kinds
    }

    // MARK: Transactions

    /// Runs `body` in a transaction. When this returns, all its writes are on disk; if it throws, none are.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try database.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have written.
            try refresh()
            let result = try body()
            if memo != stored { try StoreFormat.write(memo, to: database) }
            try database.execute("COMMIT")
            stored = memo
            return result
        } catch {
            try? database.execute("ROLLBACK")
            try? refresh()
            throw error
        }
    }

    /// Runs `body` on a snapshot of the store. Writes by others during the call are not visible to it.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try database.execute("BEGIN")
        defer { try? database.execute("COMMIT") }
        try refresh()
        return try body()
    }

    private func refresh() throws {
        guard let now = try StoreFormat.memo(database) else { return }
        if now.version != stored.version { kinds = SQLiteStorage.kinds(of: now.version, schema) }
        (memo, stored) = (now, now)
    }

    // MARK: What the server sent

    package func record(_ key: RecordKey) throws -> KnownRecord? {
        try database.first(
            "SELECT stamp, created, walk, stamps, absent, fields FROM record WHERE entity = ? AND id = ?",
            .text(key.entity), .text(key.id.text)
        ) { try known($0, kinds[key.entity]) }
    }

    package func forEachRecord(of entity: String, _ body: (RecordID, KnownRecord) throws -> Void) throws {
        try database.forEach(
            "SELECT stamp, created, walk, stamps, absent, fields, id FROM record WHERE entity = ? ORDER BY id",
            .text(entity)
        ) { row in
            try body(RecordID(row.text(6) ?? ""), try known(row, kinds[entity]))
        }
    }

    package func put(_ key: RecordKey, _ record: KnownRecord) throws { try put(key, record, into: "record") }

    private func put(_ key: RecordKey, _ record: KnownRecord, into table: StaticString) throws {
        guard let kind = schema.kinds[key.entity] else { return }
        try database.run(
            "INSERT OR REPLACE INTO \(table) (entity, id, stamp, created, walk, stamps, absent, fields) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .text(key.entity), .text(key.id.text), .int(record.stamp), .int(record.created), .int(record.initialSync),
            .init(record.stamps.isEmpty ? nil : SQLiteStorage.text(record.stamps)),
            .init(record.absent.isEmpty ? nil : text(record.absent, kind)),
            .init(record.fields.map { text($0, kind) }))
    }

    package func removeRecords(before initialSync: Int64) throws {
        try database.run("DELETE FROM record WHERE walk < ? AND fields IS NOT NULL", .int(initialSync))
    }

    package func removeTombstones(before stamp: Int64) throws {
        try database.run("DELETE FROM record WHERE fields IS NULL AND stamp < ?", .int(stamp))
    }

    package func removeAllRecords() throws {
        try database.run("DELETE FROM record")
        kinds = schema.kinds
        try MirrorTable(self).forget()
    }

    package func rewriteRecords(
        _ body: (RecordKey, KnownRecord) throws -> [(key: RecordKey, record: KnownRecord)]
    ) throws {
        try database.execute(StoreFormat.recordTable("rewritten"))
        try database.forEach("SELECT stamp, created, walk, stamps, absent, fields, id, entity FROM record") { row in
            let key = RecordKey(entity: row.text(7) ?? "", id: RecordID(row.text(6) ?? ""))
            for (key, record) in try body(key, try known(row, kinds[key.entity])) {
                try put(key, record, into: "rewritten")
            }
        }
        try database.execute(
            "DROP TABLE record; ALTER TABLE rewritten RENAME TO record; \(StoreFormat.tombstoneIndex)")
        try MirrorTable(self).migrate(from: kinds, to: schema.kinds, body)
        kinds = schema.kinds
    }

    /// Decodes a record from a row of the `record` or `aside` table.
    ///
    /// - Throws: `SyncStoreError` for content that its version cannot have written.
    private func known(_ row: SQLiteDatabase.Row, _ kind: RecordKind?) throws -> KnownRecord {
        guard let kind else { throw SyncStoreError(.damaged, "the store has a record of an entity that there is not") }
        var record = KnownRecord(fields: nil, stamp: row.int(0), created: row.int(1), initialSync: row.int(2))
        if let stamps = row.text(3) { record.stamps = SQLiteStorage.stamps(stamps) }
        if let absent = try fields(row, 4, kind) { record.absent = absent }
        record.fields = try fields(row, 5, kind)
        return record
    }

    func fields(_ row: SQLiteDatabase.Row, _ column: Int32, _ kind: RecordKind) throws -> [String: Value]? {
        do {
            return try row.withBytes(column) { try kind.read(JSONDocument(parsing: $0).root) }
        } catch {
            throw SyncStoreError(.damaged, "the store has a \(kind.name) that cannot be read: \(error)")
        }
    }

    func text(_ fields: [String: Value], _ kind: RecordKind) -> String {
        JSONWriter.text { kind.write(fields, to: &$0) }
    }

    private static func text(_ stamps: [String: Int64]) -> String {
        JSONWriter.text { writer in
            writer.beginObject()
            for (name, stamp) in stamps.sorted(by: { $0.key < $1.key }) { writer.member(name, stamp) }
            writer.endObject()
        }
    }

    private static func stamps(_ text: String) -> [String: Int64] {
        var stamps: [String: Int64] = [:]
        guard let document = try? JSONDocument(parsing: text), let members = document.root.members else { return [:] }
        for member in members { stamps[member.key] = member.value.int64 }
        return stamps
    }

    // MARK: What the user did

    package func append(
        _ key: RecordKey, _ operation: OutgoingChange.Operation, stamp: Int64, version: String, json: String,
        isMassDeletion: Bool
    ) throws {
        try database.run(
            "INSERT INTO change (entity, id, op, stamp, version, json, is_mass_deletion) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .text(key.entity), .text(key.id.text), .text(operation.rawValue), .int(stamp), .text(version), .text(json),
            .int(isMassDeletion ? 1 : 0))
    }

    private static let changeColumns =
        "SELECT place, entity, id, op, stamp, version, json, is_mass_deletion FROM change"

    package func pending(first count: Int) throws -> [PendingChange] {
        var changes: [PendingChange] = []
        try database.forEach("\(SQLiteStorage.changeColumns) ORDER BY place LIMIT ?", .int(Int64(count))) {
            changes.append(SQLiteStorage.change($0))
        }
        return changes
    }

    /// Calls `body` with each change in the outbox, oldest first. If the file is damaged, `body` receives the changes
    /// before the damage, and then this method throws.
    static func forEachPending(in database: SQLiteDatabase, _ body: (PendingChange) throws -> Void) throws {
        try database.forEach("\(changeColumns) ORDER BY place") { try body(change($0)) }
    }

    package func pending(at position: Int64) throws -> PendingChange? {
        try database.first("\(SQLiteStorage.changeColumns) WHERE place = ?", .int(position)) {
            SQLiteStorage.change($0)
        }
    }

    package func pending(of key: RecordKey) throws -> [PendingChange] {
        var changes: [PendingChange] = []
        try database.forEach(
            "\(SQLiteStorage.changeColumns) WHERE entity = ? AND id = ? ORDER BY place", .text(key.entity),
            .text(key.id.text)
        ) { changes.append(SQLiteStorage.change($0)) }
        return changes
    }

    package func pendingKeys(of entity: String, version: String) throws -> Set<RecordID> {
        try ids("SELECT id FROM change WHERE entity = ? AND version = ?", entity, version)
    }

    package var latestPendingStamp: Int64? {
        get throws {
            try database.first("SELECT max(stamp) FROM change") { row in row.text(0) == nil ? nil : row.int(0) } ?? nil
        }
    }

    package var hasPendingDeletions: Bool {
        get throws { try database.first("SELECT 1 FROM change WHERE op = 'delete' LIMIT 1") { _ in true } ?? false }
    }

    package func takePending(_ positions: [Int64]) throws -> [PendingChange] {
        var changes: [PendingChange] = []
        changes.reserveCapacity(positions.count)
        var rest = positions[...]
        // Most numbers are consecutive, and a run of them takes two statements.
        while let first = rest.first {
            var (last, run) = (first, 1)
            while run < rest.count, last < .max, rest[rest.startIndex + run] == last + 1 {
                (last, run) = (last + 1, run + 1)
            }
            try database.forEach(
                "\(SQLiteStorage.changeColumns) WHERE place BETWEEN ? AND ? ORDER BY place", .int(first), .int(last)
            ) { changes.append(SQLiteStorage.change($0)) }
            try database.run("DELETE FROM change WHERE place BETWEEN ? AND ?", .int(first), .int(last))
            rest = rest.dropFirst(run)
        }
        return changes
    }

    /// The number of changes that wait to be sent.
    var pendingCount: Int { get throws { try database.first("SELECT count(*) FROM change") { Int($0.int(0)) } ?? 0 } }

    private static func change(_ row: SQLiteDatabase.Row) -> PendingChange {
        PendingChange(
            position: row.int(0), key: RecordKey(entity: row.text(1) ?? "", id: RecordID(row.text(2) ?? "")),
            operation: OutgoingChange.Operation(rawValue: row.text(3) ?? "") ?? .update, stamp: row.int(4),
            version: row.text(5) ?? "", json: row.text(6) ?? "{}", isMassDeletion: row.int(7) != 0)
    }

    private func ids(_ sql: String, _ texts: String...) throws -> Set<RecordID> {
        var ids: Set<RecordID> = []
        let add = { (row: SQLiteDatabase.Row) in _ = ids.insert(RecordID(row.text(0) ?? "")) }
        if texts.count == 1 {
            try database.forEach(sql, .text(texts[0]), body: add)
        } else {
            try database.forEach(sql, .text(texts[0]), .text(texts[1]), body: add)
        }
        return ids
    }

    // MARK: What an older version of the app did

    package func overlay(_ key: RecordKey) throws -> Overlay? {
        try database.first(
            "SELECT fields FROM overlay WHERE entity = ? AND id = ?", .text(key.entity), .text(key.id.text)
        ) { row in
            guard let kind = kinds[key.entity], let fields = try fields(row, 0, kind) else { return .deleted }
            return .fields(fields)
        }
    }

    package func overlayKeys(of entity: String) throws -> Set<RecordID> {
        try ids("SELECT id FROM overlay WHERE entity = ?", entity)
    }

    package func setOverlay(_ key: RecordKey, _ overlay: Overlay?) throws {
        guard let kind = schema.kinds[key.entity] else { return }
        switch overlay {
        case nil:
            try database.run("DELETE FROM overlay WHERE entity = ? AND id = ?", .text(key.entity), .text(key.id.text))
        case .deleted: try setOverlay(key, nil as String?)
        case .fields(let fields): try setOverlay(key, text(fields, kind))
        }
    }

    private func setOverlay(_ key: RecordKey, _ fields: String?) throws {
        try database.run(
            "INSERT OR REPLACE INTO overlay (entity, id, fields) VALUES (?, ?, ?)", .text(key.entity),
            .text(key.id.text), .init(fields))
    }

    package func removeSettledOverlays(version: String) throws {
        // The entity may have had another name in the other version.
        try database.run(
            "DELETE FROM overlay WHERE id NOT IN (SELECT id FROM change WHERE version <> ?)", .text(version))
    }

    package func removeOverlays() throws { try database.run("DELETE FROM overlay") }

    // MARK: What was known before the server was restored

    package func setAside() throws {
        try database.run(
            """
            INSERT INTO aside (entity, id, stamp, created, walk, stamps, absent, fields, version)
            SELECT entity, id, stamp, created, walk, stamps, absent, fields, ? FROM record WHERE true
            ON CONFLICT (entity, id) DO UPDATE SET
                stamp = excluded.stamp, created = excluded.created, stamps = excluded.stamps,
                absent = excluded.absent, fields = excluded.fields, version = excluded.version
            WHERE excluded.stamp > aside.stamp
            """, .text(memo.version))
    }

    /// Returns the first records that were set aside to be offered to a restored server, at most `count`. Records of a
    /// version that this build does not know are left for a build that knows it.
    package func aside(first count: Int) throws -> [(key: RecordKey, version: String, record: KnownRecord)] {
        var found: [(key: RecordKey, version: String, record: KnownRecord)] = []
        for version in schema.history.map({ SyncSchema.header(of: $0) }) where found.count < count {
            let kinds = SQLiteStorage.kinds(of: version, schema)
            try database.forEach(
                """
                SELECT stamp, created, walk, stamps, absent, fields, id, entity FROM aside
                WHERE version = ? ORDER BY entity, id LIMIT ?
                """, .text(version), .int(Int64(count - found.count))
            ) { row in
                let key = RecordKey(entity: row.text(7) ?? "", id: RecordID(row.text(6) ?? ""))
                found.append((key, version, try known(row, kinds[key.entity])))
            }
        }
        return found
    }

    package func removeAside(_ keys: [RecordKey]) throws {
        for key in keys {
            try database.run("DELETE FROM aside WHERE entity = ? AND id = ?", .text(key.entity), .text(key.id.text))
        }
    }

    // MARK: What the user should know

    package func append(_ conflict: SyncConflict) throws {
        try database.run(
            """
            INSERT INTO conflict (verdict, entity, id, code, detail, kept, change) VALUES (?, ?, ?, ?, ?, ?, ?)
            """, .text(conflict.verdict.rawValue), .text(conflict.key.entity), .text(conflict.key.id.text),
            .init(conflict.code), .init(conflict.detail), .text(conflict.kept.joined(separator: "\n")),
            .text(conflict.change))
        // Changes that cannot be sent are stored nowhere else, and stay.
        try database.run(
            """
            DELETE FROM conflict WHERE verdict <> 'unsendable'
            AND number <= (SELECT max(number) FROM conflict) - ?
            """, .int(SQLiteStorage.conflictsMax))
    }

    package func conflicts() throws -> [SyncConflict] { try SQLiteStorage.conflicts(in: database) }

    static func conflicts(in database: SQLiteDatabase) throws -> [SyncConflict] {
        var conflicts: [SyncConflict] = []
        try database.forEach(
            "SELECT number, verdict, entity, id, code, detail, kept, change FROM conflict ORDER BY number"
        ) { row in
            conflicts.append(
                SyncConflict(
                    number: row.int(0), verdict: SyncConflict.Verdict(rawValue: row.text(1) ?? "") ?? .rejected,
                    key: RecordKey(entity: row.text(2) ?? "", id: RecordID(row.text(3) ?? "")), code: row.text(4),
                    detail: row.text(5), kept: (row.text(6) ?? "").split(separator: "\n").map(String.init),
                    change: row.text(7) ?? "{}"))
        }
        return conflicts
    }

    package func removeConflict(_ number: Int64) throws {
        try database.run("DELETE FROM conflict WHERE number = ?", .int(number))
    }
}
