import SyncClient
import SyncEngine
import SyncServer
import WireFormats

/// One ordered pair of versions: a writer and a reader share records of every entity that both know, while a third
/// device of the newest version watches. After every step each of the three must hold exactly what the plan's stages
/// say.
struct CompatPair {
    let plan: Plan
    let writer: Int
    let reader: Int
    let seed: UInt64

    private var random: SplitMix64
    private var devices: [any CompatDevice]
    /// One of ours in the writer's version, where the writer has a clock of its own: it is told the stamps.
    private var witness: PlainDevice?
    private var records: [Record]
    /// What versions in which ids are texts call records, by their keys; of other records, the key is the id.
    private var names: [ID: String] = [:]
    private let clock: HybridClock

    /// A generated record, and what every version should read of it.
    private struct Record {
        let entity: HubEntity
        var reference: ReferenceRecord
    }

    private static let (writerPlace, readerPlace, observerPlace) = (0, 1, 2)
    /// How many records of each entity: one alone has too often just the value that a faulty lens gets right.
    private static let recordsPerEntity = 3
    /// How often values are drawn until they are unique: a `Bool` gives up soon, a text never needs as many.
    private static let drawsMax = 100

    /// - Parameters:
    ///   - makePlain: one of ours, of a version, that has pulled everything that was there before.
    ///   - makeDevice: the same, or a build of that version.
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
        if devices[CompatPair.writerPlace].hasOwnClock { witness = try await makePlain("witness", writer) }
    }

    /// Entities that writer and reader both know, as places in the hub.
    private var shared: [Int] {
        plan.hub.entities.indices.filter {
            plan.projections[writer][$0] != nil && plan.projections[reader][$0] != nil
        }
    }

    /// Runs all steps. The first that goes wrong ends the pair, because everything after it would go wrong too.
    mutating func run() async -> CompatOutcome {
        do {
            try await create()
            try await writeHiddenFields()
            try await edit(by: CompatPair.writerPlace, step: "edit by the writer")
            try await echo()
            try await edit(by: CompatPair.readerPlace, step: "edit by the reader")
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
        // Ids are new in each run, seed or not: a server may still know those of an earlier one.
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
        try await push(changes, by: CompatPair.writerPlace, step: "create") { pair in try await pair.date(drawn) }
    }

    /// What has the time of its creation in another version has the one that the writer's clock gave it.
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

    /// The observer sets everything that the writer cannot see; the writer's later edits must leave it alone.
    private mutating func writeHiddenFields() async throws {
        let (plan, writer) = (plan, writer)
        try await edit(by: CompatPair.observerPlace, step: "edit of what the writer cannot see") { projection, entity in
            let visible = Set(plan.projections[writer][entity.index]!.fields.map(\.unit))
            return projection.fields.indices.filter { !visible.contains(projection.fields[$0].unit) }
        }
    }

    private mutating func edit(by place: Int, step: String) async throws {
        var random = random
        try await edit(by: place, step: step) { projection, _ in
            let chosen = projection.fields.indices.filter { _ in random.next() & 1 == 0 }
            return chosen.isEmpty ? Array(projection.fields.indices.prefix(1)) : chosen
        }
        self.random = random
    }

    private mutating func edit(
        by place: Int, step: String, choosing fields: (Projection, HubEntity) -> [Int]
    ) async throws {
        let version = devices[place].version
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
        try await push(changes, by: place, step: step)
    }

    /// The reader sends back every attribute as it reads it, as an app does that knows only whole records.
    private mutating func echo() async throws {
        let changes = records.map { record in
            let projection = plan.projections[reader][record.entity.index]!
            let values = record.reference.view(in: reader)
            let edits = editable(projection).map { FieldEdit(field: $0, value: values[$0]) }
            return change(.update, projection, record.reference.id, edits, clock.next())
        }
        try await push(changes, by: CompatPair.readerPlace, step: "echo of whole records by the reader")
    }

    /// The writer empties everything that may be empty.
    private mutating func clear() async throws {
        var changes: [OutgoingChange] = []
        for index in records.indices {
            let projection = plan.projections[writer][records[index].entity.index]!
            let edits = editable(projection).compactMap { place -> FieldEdit? in
                let field = projection.fields[place]
                // Of several records only one may have an empty unique value.
                if !field.type.isOptional, records[index].entity.uniqueColumns.contains(field.column) { return nil }
                if field.type.isOptional { return FieldEdit(field: place, value: .null) }
                switch field.type.kind {
                case .string: return FieldEdit(field: place, value: .string(""))
                case .array: return FieldEdit(field: place, value: .json("[]"))
                default: return nil
                }
            }
            try records[index].reference.put(edits, by: writer)
            changes.append(change(.update, projection, records[index].reference.id, edits, clock.next()))
        }
        try await push(changes, by: CompatPair.writerPlace, step: "clear")
    }

    private mutating func delete() async throws {
        let changes = records.map { record in
            let projection = plan.projections[writer][record.entity.index]!
            return change(.delete, projection, record.reference.id, [], clock.next())
        }
        let deleted = records
        records = []
        try await push(changes, by: CompatPair.writerPlace, step: "delete")
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

    /// - Parameter body: what is done when the changes are pushed, before anybody is looked at.
    private mutating func push(
        _ changes: [OutgoingChange], by place: Int, step: String,
        then body: (inout CompatPair) async throws -> Void = { _ in }
    ) async throws {
        if changes.isEmpty { return }
        if let first = try await devices[place].push(changes).first {
            let text = "\(first.verdict) \(first.code ?? ""): \(first.detail ?? "")"
            throw CompatFailure(step: step, detail: text, requests: [CompatPair.text(of: changes[first.index])])
        }
        for place in devices.indices {
            try await devices[place].pull()
            // Some have clocks of their own, and what follows is later.
            if let seen = (devices[place] as? PlainDevice)?.stamps.values.max() { clock.observe(seen) }
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

    /// Values for `fields`, and what `apply` makes of them. They are drawn again where another record holds already
    /// what is to be unique.
    ///
    /// - Returns: nil where `apply` gives nothing, or nothing is left to be drawn, as for a third unique `Bool`.
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

    /// Whether another record has one of its unique values, as any version reads them.
    private func isTaken(_ reference: ReferenceRecord, of entity: HubEntity) -> Bool {
        if entity.uniqueColumns.isEmpty { return false }
        let others = records.filter { $0.entity.index == entity.index && $0.reference.id != reference.id }
        return plan.projections.indices.contains { version in
            guard let projection = plan.projections[version][entity.index] else { return false }
            let view = reference.view(in: version)
            let held = others.map { $0.reference.view(in: version) }
            return projection.fields.indices.contains { place in
                entity.uniqueColumns.contains(projection.fields[place].column) && !view[place].isNull
                    && held.contains { $0[place] == view[place] }
            }
        }
    }

    /// A value for a field; a reference is to a record of this pair, or to nothing.
    private mutating func value(_ place: Int, of projection: Projection, _ ids: [Int: [ID]]) -> Value {
        let field = projection.fields[place]
        if case .reference = field.type.kind {
            let entity = plan.hub.entities[projection.entity]
            let target = entity.references.first { $0.column == field.column }?.target
            let candidates = target.flatMap { ids[$0] } ?? []
            // One of four is a reference to nothing.
            return candidates.randomElement(using: &random).flatMap { random.next() & 3 == 0 ? nil : .uuid($0) }
                ?? .null
        }
        guard let generator = RecordGenerator(plan, of: projection.name, in: projection.version) else { return .null }
        let value = generator.value(place, using: &random)
        guard case .union(_, let union) = rule(of: field, projection) else { return value }
        return union.joined(.null, value)
    }

    /// The fields of which the later edit stands: what the others hold does not follow from the latest edit.
    private func editable(_ projection: Projection) -> [Int] {
        projection.fields.indices.filter { rule(of: projection.fields[$0], projection) == .latest }
    }

    private func rule(of field: Projection.Field, _ projection: Projection) -> HubEntity.MergeRule {
        plan.hub.entities[projection.entity].units[field.unit].rule
    }

    /// The keys of new records. Where the writer has texts for ids, each has one.
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

    /// What a version calls a record.
    private func id(_ key: ID, in projection: Projection) -> RecordID {
        projection.identityType == .string ? names[key].map { RecordID($0) } ?? RecordID(key) : RecordID(key)
    }

    /// A value of a field as it travels.
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
