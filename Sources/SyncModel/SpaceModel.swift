package import WireFormats

/// A model that computes the expected content of a space. It applies the guarantees of the protocol to the changes in
/// the space, by the schemas that an app declares.
///
/// The model receives the changes that a server accepted, in the order of their commits, and computes the values that
/// every version must read. It is written from `docs/protocol.md` and `docs/versioning.md`. It has no tables, and
/// shares no code with the engine that it judges. From `WireFormats` it uses only the schema declarations of an app and
/// the types of values, and no compiled plan.
package struct SpaceModel: Sendable {
    private let tree: VersionTree
    private var kinds: [RecordKind]
    /// The entities in all versions of the plan, as the server knows them after its migration.
    private let migratedKinds: [RecordKind]
    /// The records by id, for each kind (an entity in all its versions).
    private var records: [[ID: ModelRecord]]
    /// All records of the space at the beginning of the current push; `nil` if `beginPush` was not called.
    private var before: [[ID: ModelRecord]]?
    /// The registers (sets of attributes with one stamp) that quarantined changes edit, for each record. Only changes
    /// of the current push count.
    private var rewritten: [RecordKey: Set<Int>] = [:]
    /// For each record, the quarantined changes that contain a whole record. The slots (indices of values in a record)
    /// that each of these changes edits are stored with it.
    ///
    /// If the same device sends another whole record later, its user may have undone such an edit. No other device has
    /// seen the edit.
    private var held: [RecordKey: [ModelRecord.Sent: Set<Int>]] = [:]
    /// The index of each schema shape (version or variant), by every name that a client may use for it.
    private var shapes: [ShapeName: Int] = [:]

    /// The existence of a record: whether changes have created it, and whether it was deleted since.
    package enum Liveness: Sendable, Hashable {
        /// No change of the record has arrived.
        case absent
        /// The record is deleted: by a change of its own, or together with a record to which it belongs.
        case dead
        case alive
    }

    /// Makes the model of an empty space.
    ///
    /// - Parameter newest: the newest version that the server knows at first, before it is migrated; `nil` if it knows
    ///   all.
    /// - Throws: `ModelError` if the plan cannot be read.
    package init(_ declaration: any SchemaMigrationPlan.Type, heldBackAt newest: ShapeName? = nil) throws {
        let tree = try VersionTree(declaration)
        self.tree = tree
        migratedKinds = try RecordKinds(tree).all
        kinds = try newest.flatMap(tree.index).map { try RecordKinds(tree.heldBack(at: $0)).all } ?? migratedKinds
        records = kinds.map { _ in [:] }
        for (index, schema) in tree.schemas.enumerated() {
            if let name = ShapeName("\(schema.version);fp=\(schema.fingerprint)") { shapes[name] = index }
            if index < tree.versions, let name = ShapeName("\(schema.version)") { shapes[name] = index }
        }
    }

    /// Begins a push. Pass its changes to `take` afterwards.
    ///
    /// The present records are kept until the next push, because they show what the device may have read before it sent
    /// the push.
    package mutating func beginPush() { (before, rewritten) = (records, [:]) }

    /// Migrates the model to the newest version of the plan, as a server does. Nothing changes if the model knows all
    /// versions already.
    package mutating func migrate() {
        for (index, kind) in kinds.enumerated() {
            for (id, record) in records[index] {
                records[index][id] = record.migrated(from: kind, to: migratedKinds[index], id: id)
            }
        }
        (kinds, before) = (migratedKinds, nil)
    }

    /// Applies a change that the server accepted. Pass the changes of a push in their order.
    ///
    /// The call takes time proportional to the number of the record's attributes. If the change contains references,
    /// the time may be proportional to the number of all records.
    ///
    /// The process ends if the change names an entity or attribute that its version does not have, because a server
    /// must refuse such a change.
    package mutating func take(_ change: ModelChange) {
        let (kind, shape) = kind(of: change.entity, in: change.version)
        let said = said(by: change, kind, shape)
        // A held change is merged now.
        if !held.isEmpty, let name = said.name { held[RecordKey(kind: kind, id: change.id)]?[name] = nil }
        guard let record = records[kind][change.id] else {
            records[kind][change.id] = ModelRecord(said, of: kinds[kind])
            return
        }
        let hidden = hiddenReferences(of: record, said, kind)
        // Whatever this record is, by now it is kept elsewhere, so that it is changed in its place.
        let known = (before ?? records)[kind][change.id]
        let read = read(of: said, kind)
        records[kind][change.id]?.take(said, of: kinds[kind]) {
            hidden.contains($0) ? .null : record.values[$0]
        } read: { slot in
            read.map { hidden.contains(slot) ? .null : $0.values[slot] }
        } deletedStampBefore: {
            known?.deletedStamp ?? .never
        }
    }

    /// Finds the values in a change that the device did not edit, but sent back as it had read them. Call this when the
    /// server puts the change into quarantine.
    package mutating func reading(of change: ModelChange) -> ModelReading {
        let (kind, shape) = kind(of: change.entity, in: change.version)
        let said = said(by: change, kind, shape)
        let key = RecordKey(kind: kind, id: change.id)
        guard change.operation != .delete else { return ModelReading(repeated: [], values: [:]) }
        guard let record = records[kind][change.id] else {
            hold(said, editing: Set(said.edits.map(\.slot)), of: key)
            return ModelReading(repeated: [], values: [:])
        }
        let hidden = hiddenReferences(of: record, said, kind)
        let read = read(of: said, kind)
        let (reading, edited) = record.reading(of: said, kinds[kind], &rewritten[key, default: []]) {
            hidden.contains($0) ? .null : record.values[$0]
        } read: { slot in
            read.map { hidden.contains(slot) ? .null : $0.values[slot] }
        }
        hold(said, editing: edited, of: key)
        return reading
    }

    private mutating func hold(_ said: ModelRecord.Said, editing slots: Set<Int>, of key: RecordKey) {
        if said.isWhole, let name = said.name { held[key, default: [:]][name] = slots }
    }

    /// Returns the registers (sets of attributes with one stamp) that the change's device has edited earlier in
    /// quarantined changes with whole records.
    private func takenBack(by change: ModelChange, of key: RecordKey) -> Set<Int> {
        guard change.isWhole, change.reading == nil, let device = change.device, let held = held[key] else { return [] }
        let sent = change.sentStamp ?? change.stamp
        let stamp = sent.flatMap { $0 == .never ? nil : $0 } ?? change.serverTime
        let slots = held.filter { $0.key.device == device && $0.key.stamp < stamp }.values.joined()
        let registers = Set(slots.flatMap { kinds[key.kind].unit(of: $0).registers })
        return registers.filter { kinds[key.kind].registers[$0].policy == .latest }
    }

    /// Returns the record as the device that sent the change had read it before its push.
    ///
    /// Returns `nil` if the device did not have the record's current state, or if the record did not exist or was
    /// deleted.
    ///
    /// - Parameter kind: the index of the record's entity in `kinds`.
    private func read(of said: ModelRecord.Said, _ kind: Int) -> ModelRecord? {
        let records = before ?? records
        guard said.isHeld, let record = records[kind][said.id],
            !dead(among: records).contains(RecordKey(kind: kind, id: said.id))
        else { return nil }
        return record
    }

    /// Returns true if both models have the same content, so that every later change has the same result in both.
    package func holdsTheSame(as other: SpaceModel) -> Bool {
        records == other.records && held == other.held && rewritten == other.rewritten
    }

    /// Returns the records that a device of this version has after it has read everything: all existing records, by
    /// entity name and id. Each has the values of all attributes and to-one relationships that the version syncs, by
    /// name. The call takes time proportional to the number of records.
    package func records(in version: ShapeName) -> [ModelKey: [String: Value]] {
        let (shape, dead) = (shape(version), dead)
        var found: [ModelKey: [String: Value]] = [:]
        for (index, kind) in kinds.enumerated() {
            guard let name = kind.names[shape] else { continue }
            for (id, record) in records[index] where !dead.contains(RecordKey(kind: index, id: id)) {
                let fields = kind.fields[shape].map { field in
                    (field.attribute.name, reading(field, of: record, kind, dead))
                }
                found[ModelKey(entity: name, id: id)] = Dictionary(uniqueKeysWithValues: fields)
            }
        }
        return found
    }

    /// Returns the liveness of a record: whether it is alive, deleted or absent. The call takes time proportional to
    /// the number of records.
    ///
    /// - Parameter version: the version in which the key names the record's entity.
    package func liveness(of key: ModelKey, in version: ShapeName) -> Liveness {
        let (kind, _) = kind(of: key.entity, in: version)
        guard records[kind][key.id] != nil else { return .absent }
        return dead.contains(RecordKey(kind: kind, id: key.id)) ? .dead : .alive
    }

    /// Returns the liveness that a record had when the current push began: whether it was alive, deleted or absent.
    package func livenessBefore(of key: ModelKey, in version: ShapeName) -> Liveness {
        let (kind, _) = kind(of: key.entity, in: version)
        let records = before ?? records
        guard records[kind][key.id] != nil else { return .absent }
        return dead(among: records).contains(RecordKey(kind: kind, id: key.id)) ? .dead : .alive
    }

    /// Returns true if a server may reject changes of one record with the code `unique`, because another record,
    /// `holder`, has the same value of a unique attribute.
    ///
    /// The changes are applied together, in their order. A value counts only if the record gets it by these changes: it
    /// had another value before, or was deleted.
    ///
    /// Call this at the end of the push, because the records are compared as they are then.
    ///
    /// - Parameter isAlive: true to return false if the record does not exist after the changes.
    package func mayReject(_ changes: [ModelChange], naming holder: ID, isAlive: Bool = true) -> Bool {
        guard let change = changes.first else { return false }
        let (kind, _) = kind(of: change.entity, in: change.version)
        guard holder != change.id, let other = records[kind][holder] else { return false }
        var after = self
        for change in changes { after.take(change) }
        let (before, taken) = (records[kind][change.id], after.records[kind][change.id])
        let gone = after.dead
        guard let taken, !gone.contains(RecordKey(kind: kind, id: holder)),
            !isAlive || !gone.contains(RecordKey(kind: kind, id: change.id))
        else { return false }
        return kinds[kind].uniqueSlots.contains { slot in
            let value = taken.values[slot]
            let isHeld = before.map { !$0.isDeadItself && $0.values[slot] == value } ?? false
            return !taken.isDeadItself && !value.isNull && !isHeld && other.values[slot] == value
        }
    }

    /// Forgets deleted records, as a server does in a garbage collection. A later change of such a record makes a new
    /// one.
    ///
    /// A record is removed only after all records that were deleted together with it. If such records form a cycle,
    /// none of them can be removed first, so all of them stay. The records whose deletion deleted the cycle stay, too.
    ///
    /// The model also forgets which changes of the remaining records it has merged, and which increments it has
    /// counted.
    package mutating func forgetDead() {
        var dead = dead
        let belongings = belongings(among: records)
        while true {
            let removable = dead.filter { parent in
                !(belongings[parent] ?? []).contains { child in
                    child != parent && dead.contains(child) && records[child.kind][child.id]?.isDeadItself == false
                }
            }
            if removable.isEmpty { break }
            for key in removable { records[key.kind][key.id] = nil }
            dead.subtract(removable)
        }
        for kind in records.indices {
            for id in records[kind].keys { records[kind][id]?.forgetJudged() }
        }
        held = [:]
    }

    // MARK: Names

    private func shape(_ name: ShapeName) -> Int {
        guard let shape = shapes[name] ?? tree.index(of: name) else {
            preconditionFailure("the plan has no version \(name)")
        }
        return shape
    }

    private func kind(of entity: String, in version: ShapeName) -> (kind: Int, shape: Int) {
        let shape = shape(version)
        guard let kind = kinds.firstIndex(where: { $0.names[shape] == entity }) else {
            preconditionFailure("version \(version) syncs no entity \(entity)")
        }
        return (kind, shape)
    }

    private func said(by change: ModelChange, _ kind: Int, _ shape: Int) -> ModelRecord.Said {
        let edits = change.fields.compactMap { name, value -> ModelRecord.Edit? in
            if name == kinds[kind].identities[shape] { return nil }
            let field = field(name, of: change, kind, shape)
            return ModelRecord.Edit(
                slot: field.slot, value: value.stored, isOfCounter: field.attribute.merge == .counter)
        }
        let increments = change.increments.compactMap { name, amount -> (register: Int, amount: Int64)? in
            guard case .register(let register) = kinds[kind].owners[field(name, of: change, kind, shape).slot] else {
                return nil
            }
            return (register, amount)
        }
        return ModelRecord.Said(
            operation: change.operation, id: change.id, edits: edits, increments: increments, shape: shape,
            stamp: change.stamp, sent: change.sentStamp ?? change.stamp, serverTime: change.serverTime,
            device: change.device, isHeld: change.isHeld, isWhole: change.isWhole,
            reading: change.reading,
            takenBack: takenBack(by: change, of: RecordKey(kind: kind, id: change.id)))
    }

    private func field(_ name: String, of change: ModelChange, _ kind: Int, _ shape: Int) -> RecordKind.Field {
        guard let field = kinds[kind].fieldsByName[shape][name] else {
            preconditionFailure("\(change.entity) of version \(change.version) has no \(name)")
        }
        return kinds[kind].fields[shape][field]
    }

    // MARK: Lives and references

    private struct RecordKey: Hashable {
        let kind: Int
        let id: ID
    }

    /// The deleted records: those that were deleted by a change of their own, and those that were deleted together with
    /// them.
    private var dead: Set<RecordKey> { dead(among: records) }

    private func dead(among records: [[ID: ModelRecord]]) -> Set<RecordKey> {
        var dead: Set<RecordKey> = []
        for (index, _) in kinds.enumerated() {
            for (id, record) in records[index] where record.isDeadItself { dead.insert(RecordKey(kind: index, id: id)) }
        }
        let belongings = belongings(among: records)
        var rest = Array(dead)
        while let key = rest.popLast() {
            for other in belongings[key] ?? [] where records[other.kind][other.id] != nil {
                if dead.insert(other).inserted { rest.append(other) }
            }
        }
        return dead
    }

    /// Returns, for each record, the records that its deletion also deletes.
    private func belongings(among records: [[ID: ModelRecord]]) -> [RecordKey: [RecordKey]] {
        var belongings: [RecordKey: [RecordKey]] = [:]
        for (index, kind) in kinds.enumerated() {
            let references = kind.references.filter { $0.goesWithTarget || $0.takesTargetAlong }
            if references.isEmpty { continue }
            for (id, record) in records[index] {
                let key = RecordKey(kind: index, id: id)
                for reference in references {
                    guard case .uuid(let id) = record.values[reference.slot] else { continue }
                    let target = RecordKey(kind: reference.target, id: id)
                    if reference.goesWithTarget { belongings[target, default: []].append(key) }
                    if reference.takesTargetAlong { belongings[key, default: []].append(target) }
                }
            }
        }
        return belongings
    }

    /// Returns the slots (indices of values in a record) of references that devices read as null, because their targets
    /// did not exist or were deleted before the push.
    ///
    /// Only references that the change contains are returned. A reference is left out if the same push has given it
    /// another value. The result is empty unless the device had the record's current state, or sent a whole record.
    ///
    /// The call may take time proportional to the number of all records.
    ///
    /// - Parameters:
    ///   - said: the change.
    ///   - kind: the index of the record's entity in `kinds`.
    private func hiddenReferences(of record: ModelRecord, _ said: ModelRecord.Said, _ kind: Int) -> Set<Int> {
        guard said.isHeld || said.isWhole else { return [] }
        let records = before ?? records
        let known = records[kind][said.id]
        let named = kinds[kind].references.filter { reference in
            let value = record.values[reference.slot]
            return !value.isNull && known?.values[reference.slot] == value
                && said.edits.contains { $0.slot == reference.slot }
        }
        if named.isEmpty { return [] }
        let dead = dead(among: records)
        return Set(named.filter { isHidden(record.values[$0.slot], $0, dead, among: records) }.map(\.slot))
    }

    private func isHidden(
        _ value: Value, _ reference: RecordKind.Reference, _ dead: Set<RecordKey>, among records: [[ID: ModelRecord]]
    ) -> Bool {
        guard case .uuid(let id) = value else { return false }
        return records[reference.target][id] == nil || dead.contains(RecordKey(kind: reference.target, id: id))
    }

    /// Returns the value that a version reads in a field. A reference to a record that does not exist is read as null,
    /// although it stays in the record.
    private func reading(
        _ field: RecordKind.Field, of record: ModelRecord, _ kind: RecordKind, _ dead: Set<RecordKey>
    ) -> Value {
        let value = record.values[field.slot]
        guard field.isReference, let reference = kind.references.first(where: { $0.slot == field.slot }),
            isHidden(value, reference, dead, among: records)
        else { return value }
        return .null
    }
}
