package import WireFormats

/// The expected content of a space: a plain interpreter of the protocol's guarantees over the schemas that an app
/// declares.
///
/// The model receives the changes that a server accepted, in commit order, and computes the values that every version
/// must read. It is written from `docs/protocol.md` and `docs/versioning.md`. It has no tables, and shares no code with
/// the engine that it judges. From `WireFormats` it uses only the schema declarations of an app and the scalar types,
/// nothing that is compiled.
package struct SpaceModel: Sendable {
    private let tree: VersionTree
    private var kinds: [RecordKind]
    /// The kinds (entities through all their versions) for a server that knows the whole plan.
    private let migratedKinds: [RecordKind]
    /// Records by id, indexed by kind.
    private var records: [[ID: ModelRecord]]
    /// The records when the current push began; `nil` if `beginPush` was not called.
    private var before: [[ID: ModelRecord]]?
    /// For each record, the registers that quarantined changes of the current push edit.
    private var rewritten: [RecordKey: Set<Int>] = [:]
    /// For each record, the slots edited by whole records that are, or were, in quarantine. A later whole record of the
    /// same device may revert such an edit, because no other device has seen it.
    private var held: [RecordKey: [ModelRecord.Sent: Set<Int>]] = [:]
    /// The index of each shape name that was looked up so far.
    private var shapes: [ShapeName: Int] = [:]

    /// The liveness of a record.
    package enum Liveness: Sendable, Hashable {
        /// No change ever had this record's id.
        case absent
        /// The record was deleted itself, or along with a record to which it belongs.
        case dead
        case alive
    }

    /// Makes an empty model from a plan.
    ///
    /// - Parameter newest: the newest version that the server knows until it is migrated; `nil` if it knows all.
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

    /// Begins a push; `take` then applies its changes. The values of references that the device had read are determined
    /// from the records at this moment.
    package mutating func beginPush() { (before, rewritten) = (records, [:]) }

    /// Continues as a server that knows the whole plan, over the same database. Has no effect if the model does so
    /// already.
    package mutating func migrate() {
        for (index, kind) in kinds.enumerated() {
            for (id, record) in records[index] {
                records[index][id] = record.migrated(from: kind, to: migratedKinds[index], id: id)
            }
        }
        (kinds, before) = (migratedKinds, nil)
    }

    /// Applies a change that the server accepted: one whose verdict is not `rejected`. The changes of a push are
    /// applied in its order, each to the result of the previous ones. Takes time proportional to the record's
    /// attributes, and to the number of records if references must be resolved.
    ///
    /// An entity or attribute that the version does not have ends the process: a server must have refused it.
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

    /// Returns the values that a change in the server's quarantine only repeats from what its device had read.
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

    /// Returns the registers that quarantined whole records, which the same device sent before with earlier stamps,
    /// edit.
    private func takenBack(by change: ModelChange, of key: RecordKey) -> Set<Int> {
        guard change.isWhole, change.reading == nil, let device = change.device, let held = held[key] else { return [] }
        let sent = change.sentStamp ?? change.stamp
        let stamp = sent.flatMap { $0 == .never ? nil : $0 } ?? change.serverTime
        let slots = held.filter { $0.key.device == device && $0.key.stamp < stamp }.values.joined()
        let registers = Set(slots.flatMap { kinds[key.kind].unit(of: $0).registers })
        return registers.filter { kinds[key.kind].registers[$0].policy == .latest }
    }

    /// Returns the record as its device read it before the push; `nil` if it did not exist or was deleted then (rule
    /// R4).
    private func read(of said: ModelRecord.Said, _ kind: Int) -> ModelRecord? {
        let records = before ?? records
        guard said.isHeld, let record = records[kind][said.id],
            !dead(among: records).contains(RecordKey(kind: kind, id: said.id))
        else { return nil }
        return record
    }

    /// True if both models have the same content, and would merge every future change to the same result.
    package func holdsTheSame(as other: SpaceModel) -> Bool {
        records == other.records && held == other.held && rewritten == other.rewritten
    }

    /// Returns the records that a device of this version has after reading everything: the existing records by entity
    /// and id. Each has every synced attribute and to-one relationship of the version, by name. Takes time proportional
    /// to the number of records.
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

    /// The liveness of a record, whose entity has this name in the version. Takes time proportional to the number of
    /// records.
    package func liveness(of key: ModelKey, in version: ShapeName) -> Liveness {
        let (kind, _) = kind(of: key.entity, in: version)
        guard records[kind][key.id] != nil else { return .absent }
        return dead.contains(RecordKey(kind: kind, id: key.id)) ? .dead : .alive
    }

    /// The liveness of a record when the current push began.
    package func livenessBefore(of key: ModelKey, in version: ShapeName) -> Liveness {
        let (kind, _) = kind(of: key.entity, in: version)
        let records = before ?? records
        guard records[kind][key.id] != nil else { return .absent }
        return dead(among: records).contains(RecordKey(kind: kind, id: key.id)) ? .dead : .alive
    }

    /// True if a server may reject these changes of one record as `unique` because of `holder`. This is so if all
    /// changes together, in their order, would give the record a value of a unique attribute that `holder` has, or
    /// would make a record with such a value exist again. Only records that would exist then are considered, with the
    /// values that they have after the rest of the push. So call this method at the end of the push.
    ///
    /// - Parameter isAlive: true if the record, and the record to which it belongs, must exist after the changes.
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

    /// Forgets deleted records, as a server does that has collected all tombstones. A later change of such a record
    /// makes a new one. A parent is collected only after all records that were deleted with it. So records that were
    /// deleted with each other in a ring stay, and so do the records with which the ring was deleted. For the remaining
    /// records, the server no longer knows which changes it has decided and counted.
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

    /// The keys of the records that do not exist: those that were deleted themselves, and those deleted with such a
    /// record. A record that is absent, because no change of it has arrived yet, deletes no other.
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

    /// Returns, for each record, the records that are deleted with it.
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

    /// Returns the slots of references that read as null because their targets do not exist or are deleted. Only the
    /// references in a change for which its version's reading matters are resolved, because resolving takes time
    /// proportional to all records. The device had not read a target that was created by the same push. A reference
    /// that the push itself sets is read as set.
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

    /// Returns the value that a version reads in a field. A reference to a record that does not exist reads as null,
    /// but stays in the record.
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
