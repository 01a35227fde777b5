import StrictJSON
import SyncClient
import SyncEngine
import SyncServer
import WireFormats

/// A test of two versions of an app, one of which writes records and the other reads them. A third device, of the
/// newest version, observes the records. After every step, each device must have exactly the values that the plan's
/// stages (migration steps) yield.
struct CompatPair {
    let plan: Plan
    let writer: Int
    let reader: Int
    let seed: UInt64

    private var random: SplitMix64
    private var devices: [any CompatDevice]
    /// A device in the writer's version, from which the test reads the stamps of the writer's changes; `nil` unless the
    /// writer stamps its changes by its own clock.
    private var witness: PlainDevice?
    private var records: [Record]
    /// The text ids of records, by key (UUID). A record that is not in it has its key as id.
    private var names: [ID: String] = [:]
    private let clock: HybridClock

    /// A record of the test, with the values that every version should read.
    private struct Record {
        let entity: HubEntity
        var reference: ReferenceRecord
    }

    private static let (writerIndex, readerIndex, observerIndex) = (0, 1, 2)
    /// The number of records of each entity. A single record would too often have a value that a faulty conversion
    /// happens to get right.
    private static let recordsPerEntity = 3
    /// The maximum number of times that a record's values are drawn until its unique values are free. Only a type with
    /// few values, such as `Bool`, needs so many.
    private static let drawsMax = 100

    /// Makes the test of two versions, with three devices: writer, reader and observer.
    ///
    /// - Parameters:
    ///   - makePlain: makes a device that only stores values. It has already read all records of earlier tests.
    ///   - makeDevice: makes a device with a build of the app; if there is no build of the version, a device that only
    ///     stores values.
    init(
        _ plan: Plan, writer: Int, reader: Int, seed: UInt64, clock: HybridClock,
        makePlain: (_ role: String, _ version: Int) async throws -> PlainDevice,
        makeDevice: (_ role: String, _ version: Int) async throws -> any CompatDevice
    ) async throws {
        self.plan = plan
        self.writer = writer
        self.reader = reader
        self.seed = seed
        self.clock = clock
        random = SplitMix64(seed: seed)
        records = []
        devices = [
            try await makeDevice("writer", writer), try await makeDevice("reader", reader),
            try await makePlain("observer", plan.newest),
        ]
        if devices[CompatPair.writerIndex].hasOwnClock { witness = try await makePlain("witness", writer) }
    }

    /// The entities that both the writer's and the reader's version have, as indices in the hub (the structure of the
    /// server's tables).
    private var shared: [Int] {
        plan.hub.entities.indices.filter {
            plan.projections[writer][$0] != nil && plan.projections[reader][$0] != nil
        }
    }

    /// Runs all steps, and returns the result. The first failure ends the test, because everything after it would fail
    /// too.
    mutating func run() async -> CompatOutcome {
        do {
            try await create()
            try await writeHiddenFields()
            try await edit(by: CompatPair.writerIndex, step: "edit by the writer")
            try await echo()
            try await edit(by: CompatPair.readerIndex, step: "edit by the reader")
            try await clear()
            try await delete()
            return CompatOutcome(writer: writer, reader: reader, entities: shared.count, failure: nil)
        } catch let failure as CompatFailure {
            return CompatOutcome(writer: writer, reader: reader, entities: shared.count, failure: failure)
        } catch {
            let failure = CompatFailure(step: "exchange with the server", detail: "\(error)", requests: [])
            return CompatOutcome(writer: writer, reader: reader, entities: shared.count, failure: failure)
        }
    }

    // MARK: Steps

    private mutating func create() async throws {
        let (plan, writer) = (plan, writer)
        // Ids are new in each run, seed or not: a server may still know those of an earlier run.
        var ids: [Int: [ID]] = [:]
        for entity in shared {
            ids[entity] = plan.hub.entities[entity].singleton.map { [$0] } ?? newIDs(of: plan.hub.entities[entity])
        }
        var changes: [OutgoingChange] = []
        var drawn: [ID: [FieldEdit]] = [:]
        for (entity, id) in shared.flatMap({ entity in ids[entity]!.map { (entity, $0) } }) {
            let projection = plan.projections[writer][entity]!
            let stamp = clock.next()
            let found = try draw(projection.fields.indices, of: projection, ids) { edits in
                try ReferenceRecord(
                    plan, creating: projection.name, by: writer, edits: edits, id: id, createdAt: stamp.timestamp)
            }
            guard let (edits, reference) = found else { continue }
            drawn[id] = edits
            records.append(Record(entity: plan.hub.entities[entity], reference: reference))
            changes.append(change(.create, projection, id, edits, stamp))
        }
        try await push(changes, by: CompatPair.writerIndex, step: "create") { pair in try await pair.date(drawn) }
    }

    /// Corrects the creation time of the expected records, if the writer stamps its changes by its own clock. The time
    /// matters because other versions may have attributes whose default is the creation time.
    ///
    /// - Parameter drawn: the values that the writer has set, by record.
    private mutating func date(_ drawn: [ID: [FieldEdit]]) async throws {
        guard var witness else { return }
        try await witness.pull()
        for index in records.indices {
            let id = records[index].reference.id
            guard let projection = plan.projections[writer][records[index].entity.index], let edits = drawn[id],
                let stamp = witness.stamps[CompatKey(entity: projection.name, id: self.id(id, in: projection))]
            else { continue }
            let reference = try ReferenceRecord(
                plan, creating: projection.name, by: writer, edits: edits, id: id, createdAt: stamp.timestamp)
            if let reference { records[index].reference = reference }
        }
        self.witness = witness
    }

    /// Lets the observer set the attributes that exist in the newest version, but not in the writer's version. Later
    /// edits by the writer must not change them.
    private mutating func writeHiddenFields() async throws {
        let (plan, writer) = (plan, writer)
        try await edit(by: CompatPair.observerIndex, step: "edit of what the writer cannot see") { projection, entity in
            let visible = Set(plan.projections[writer][entity.index]!.fields.map(\.unit))
            return projection.fields.indices.filter { !visible.contains(projection.fields[$0].unit) }
        }
    }

    private mutating func edit(by position: Int, step: String) async throws {
        var random = random
        try await edit(by: position, step: step) { projection, _ in
            let chosen = projection.fields.indices.filter { _ in random.next() & 1 == 0 }
            return chosen.isEmpty ? Array(projection.fields.indices.prefix(1)) : chosen
        }
        self.random = random
    }

    private mutating func edit(
        by position: Int, step: String, choosing fields: (Projection, HubEntity) -> [Int]
    ) async throws {
        let version = devices[position].version
        let ids = Dictionary(grouping: records, by: \.entity.index).mapValues { $0.map(\.reference.id) }
        var changes: [OutgoingChange] = []
        for index in records.indices {
            let projection = plan.projections[version][records[index].entity.index]!
            let chosen = Set(fields(projection, records[index].entity)).intersection(editable(projection))
            if chosen.isEmpty { continue }
            let before = records[index].reference
            let drawn = try draw(chosen.sorted(), of: projection, ids) { edits in
                var reference = before
                try reference.put(edits, by: version)
                return reference
            }
            guard let (edits, reference) = drawn else { continue }
            records[index].reference = reference
            changes.append(change(.update, projection, records[index].reference.id, edits, clock.next()))
        }
        try await push(changes, by: position, step: step)
    }

    /// Lets the reader send all attributes back unchanged, as an app does that always sends whole records.
    private mutating func echo() async throws {
        let changes = records.map { record in
            let projection = plan.projections[reader][record.entity.index]!
            let values = record.reference.view(in: reader)
            let edits = editable(projection).map { FieldEdit(field: $0, value: values[$0]) }
            return change(.update, projection, record.reference.id, edits, clock.next())
        }
        try await push(changes, by: CompatPair.readerIndex, step: "echo of whole records by the reader")
    }

    /// Lets the writer empty all attributes that can be null, an empty text or an empty list.
    private mutating func clear() async throws {
        var changes: [OutgoingChange] = []
        for index in records.indices {
            let projection = plan.projections[writer][records[index].entity.index]!
            let edits = editable(projection).compactMap { position -> FieldEdit? in
                let field = projection.fields[position]
                // Among several records, only one may have an empty unique value.
                if !field.type.isOptional, records[index].entity.uniqueColumns.contains(field.column) { return nil }
                if field.type.isOptional { return FieldEdit(field: position, value: .null) }
                switch field.type.kind {
                case .string: return FieldEdit(field: position, value: .string(""))
                case .array: return FieldEdit(field: position, value: .json("[]"))
                default: return nil
                }
            }
            try records[index].reference.put(edits, by: writer)
            changes.append(change(.update, projection, records[index].reference.id, edits, clock.next()))
        }
        try await push(changes, by: CompatPair.writerIndex, step: "clear")
    }

    private mutating func delete() async throws {
        let changes = records.map { record in
            let projection = plan.projections[writer][record.entity.index]!
            return change(.delete, projection, record.reference.id, [], clock.next())
        }
        let deleted = records
        records = []
        try await push(changes, by: CompatPair.writerIndex, step: "delete")
        for device in devices {
            for record in deleted {
                guard let projection = plan.projections[device.version][record.entity.index] else { continue }
                let key = CompatKey(entity: projection.name, id: id(record.reference.id, in: projection))
                if device.store[key] != nil {
                    throw failure("delete", "the \(device.role) still has \(projection.name)", key.id, changes)
                }
            }
        }
    }

    // MARK: Checking

    /// Pushes changes from one device, pulls on all devices, and compares their records with the expected ones.
    ///
    /// - Parameters:
    ///   - position: the index of the device that pushes.
    ///   - step: the name of the step, for error messages.
    ///   - body: called after the pulls, before the comparison.
    private mutating func push(
        _ changes: [OutgoingChange], by position: Int, step: String,
        then body: (inout CompatPair) async throws -> Void = { _ in }
    ) async throws {
        if changes.isEmpty { return }
        if let first = try await devices[position].push(changes).first {
            let text = "\(first.verdict) \(first.code ?? ""): \(first.detail ?? "")"
            throw CompatFailure(step: step, detail: text, requests: [CompatPair.text(of: changes[first.index])])
        }
        for position in devices.indices {
            try await devices[position].pull()
            // Some devices have clocks of their own, and later edits need later stamps.
            if let seen = (devices[position] as? PlainDevice)?.stamps.values.max() { clock.observe(seen) }
        }
        try await body(&self)
        for device in devices {
            for record in records { try check(record, on: device, step: step, changes) }
        }
    }

    private func check(
        _ record: Record, on device: any CompatDevice, step: String, _ changes: [OutgoingChange]
    ) throws(CompatFailure) {
        guard let projection = plan.projections[device.version][record.entity.index] else { return }
        let key = CompatKey(entity: projection.name, id: id(record.reference.id, in: projection))
        guard let held = device.store[key] else {
            throw failure(step, "the \(device.role) does not have \(projection.name)", key.id, changes)
        }
        for (field, value) in zip(projection.fields, record.reference.view(in: device.version)) {
            let expected = sent(value, as: field)
            guard held[field.name] != expected else { continue }
            let version = plan.name(of: device.version)
            throw failure(
                step,
                "\(projection.name).\(field.name): the \(device.role) at \(version) reads "
                    + "\(held[field.name].map { "\($0)" } ?? "nothing"), expected \(expected)", key.id, changes)
        }
    }

    private func failure(
        _ step: String, _ detail: String, _ id: RecordID, _ changes: [OutgoingChange]
    ) -> CompatFailure {
        CompatFailure(step: step, detail: detail, requests: changes.filter { $0.id == id }.map(CompatPair.text))
    }

    private static func text(of change: OutgoingChange) -> String {
        JSONWriter.text { change.write(to: &$0) }
    }

    // MARK: Generating

    /// Draws random values for fields until no other record has the same value of a unique attribute.
    ///
    /// - Parameters:
    ///   - fields: the indices of the fields in `projection`.
    ///   - ids: the records to which references may lead, by entity index.
    ///   - apply: returns the expected record with the drawn values; `nil` if the values cannot be applied.
    /// - Returns: the drawn values and the expected record; `nil` if `apply` returns `nil`, or if all unique values are
    ///   taken.
    private mutating func draw(
        _ fields: some Sequence<Int>, of projection: Projection, _ ids: [Int: [ID]],
        apply: ([FieldEdit]) throws -> ReferenceRecord?
    ) throws -> (edits: [FieldEdit], reference: ReferenceRecord)? {
        for _ in 0..<CompatPair.drawsMax {
            let edits = fields.map { FieldEdit(field: $0, value: value($0, of: projection, ids)) }
            guard let reference = try apply(edits) else { return nil }
            if !isTaken(reference, of: plan.hub.entities[projection.entity]) { return (edits, reference) }
        }
        return nil
    }

    /// Returns true if another record has the same value of a unique attribute, in any version.
    private func isTaken(_ reference: ReferenceRecord, of entity: HubEntity) -> Bool {
        if entity.uniqueColumns.isEmpty { return false }
        let others = records.filter { $0.entity.index == entity.index && $0.reference.id != reference.id }
        return plan.projections.indices.contains { version in
            guard let projection = plan.projections[version][entity.index] else { return false }
            let view = reference.view(in: version)
            let held = others.map { $0.reference.view(in: version) }
            return projection.fields.indices.contains { position in
                entity.uniqueColumns.contains(projection.fields[position].column) && !view[position].isNull
                    && held.contains { $0[position] == view[position] }
            }
        }
    }

    /// Draws a value for a field. A reference is to a record of this test, or null.
    ///
    /// - Parameters:
    ///   - position: the field's index in `projection`.
    ///   - ids: the records to which references may lead, by entity index.
    private mutating func value(_ position: Int, of projection: Projection, _ ids: [Int: [ID]]) -> Value {
        let field = projection.fields[position]
        if case .reference = field.type.kind {
            let entity = plan.hub.entities[projection.entity]
            let target = entity.references.first { $0.column == field.column }?.target
            let candidates = target.flatMap { ids[$0] } ?? []
            // One of four references is null.
            return candidates.randomElement(using: &random).flatMap { random.next() & 3 == 0 ? nil : .uuid($0) }
                ?? .null
        }
        guard let generator = RecordGenerator(plan, of: projection.name, in: projection.version) else { return .null }
        let value = generator.value(position, using: &random)
        guard case .union(_, let union) = rule(of: field, projection) else { return value }
        return union.joined(.null, value)
    }

    /// Returns the indices of the fields for which the latest edit wins.
    ///
    /// Other fields, such as counters, are set only when a record is created. If they were edited later, their values
    /// would also depend on earlier edits.
    private func editable(_ projection: Projection) -> [Int] {
        projection.fields.indices.filter { rule(of: projection.fields[$0], projection) == .latest }
    }

    private func rule(of field: Projection.Field, _ projection: Projection) -> HubEntity.MergeRule {
        plan.hub.entities[projection.entity].units[field.unit].rule
    }

    /// Returns the keys (UUIDs) for new records.
    ///
    /// If the entity's ids are texts in the writer's version, random texts are drawn, and the keys are derived from
    /// them.
    private mutating func newIDs(of entity: HubEntity) -> [ID] {
        guard plan.projections[writer][entity.index]?.identityType == .string else {
            return (0..<CompatPair.recordsPerEntity).map { _ in ID.random() }
        }
        var random = SystemRandomNumberGenerator()
        var keys: [ID] = []
        for _ in 0..<CompatPair.recordsPerEntity {
            let text = TextIDs.draw(using: &random)
            let key = TextKey.key(of: text, app: plan.app, entity: entity)
            if TextKey.isMade(key) { names[key] = text }
            keys.append(key)
        }
        return keys
    }

    /// Returns the id that a record has in a version, by its key (UUID).
    private func id(_ key: ID, in projection: Projection) -> RecordID {
        projection.identityType == .string ? names[key].map { RecordID($0) } ?? RecordID(key) : RecordID(key)
    }

    /// Returns a field's value as it is sent: for a reference by text id, the text instead of the key (UUID).
    private func sent(_ value: Value, as field: Projection.Field) -> Value {
        guard field.isTextReference, case .uuid(let key) = value else { return value }
        return .string(names[key] ?? key.description)
    }

    private func change(
        _ operation: OutgoingChange.Operation, _ projection: Projection, _ id: ID, _ edits: [FieldEdit], _ stamp: Stamp
    ) -> OutgoingChange {
        OutgoingChange(
            entity: projection.name, id: self.id(id, in: projection), operation: operation, stamp: stamp,
            fields: edits.map { edit in
                let field = projection.fields[edit.field]
                return (field.name, sent(edit.value, as: field))
            })
    }
}
