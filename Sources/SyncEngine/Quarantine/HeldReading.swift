import PGStore
import WireFormats

/// The values that the device of a held change had read of its record and only said again: so that a replay ends as the
/// push would have, and writes nothing that nobody edited.
///
/// It is kept with the change (`sync.quarantine.reading`), because later nobody could tell: a version may read of
/// another value what it sent, and a reference that read as null has a target by then.
struct HeldReading: Sendable {
    /// The fields that only repeat what was read, by their names in the version that the change was written in.
    let fields: Set<String>
    /// The values that stood there, in all forms: by column. Nothing of whole records, of which a repetition says
    /// nothing at all.
    let values: [String: Value]

    /// - Parameters:
    ///   - state: the record as the change met it.
    ///   - read: the record as the change's device had read it; `nil` where it had not.
    ///   - rewritten: the units that the device has edited meanwhile, by changes that are held, too.
    init(
        of change: Change, in mode: ChangeMode, on state: RecordState?, read: RecordState?, rewritten: Set<Int>,
        _ entity: HubEntity
    ) {
        guard let state, change.operation != .delete else {
            (fields, values) = ([], [:])
            return
        }
        if mode == .whole {
            let said = Set(change.withoutEchoes(of: state, in: entity).edits.map(\.field))
            let repeated = change.edits.filter { !said.contains($0.field) }.map { change.projection.fields[$0.field] }
            fields = Set(repeated.filter { !rewritten.contains($0.unit) }.map(\.name))
            values = [:]
            return
        }
        let repeated = change.edits.map { ($0, change.projection.fields[$0.field]) }.filter { edit, field in
            // A creation says itself what nobody has said yet.
            let isUnsaid =
                change.operation == .create
                && state.stamps.stamp(of: field.column, unit: field.unit, in: entity) == .never
            return !isUnsaid && !rewritten.contains(field.unit)
                && Merge.isRepetition(edit, in: field, of: state, entity, read: read)
        }.map(\.1)
        fields = Set(repeated.map(\.name))
        let columns = Set(repeated.map(\.unit)).flatMap { entity.units[$0].columns }
        values = Dictionary(uniqueKeysWithValues: columns.map { (entity.columns[$0].name, state.values[$0]) })
    }

    /// Takes apart what a change says: what was only repeated, and the rest.
    func divide(_ change: Change) -> (rest: Change, repeated: [Projection.Field]) {
        let places = Set(change.edits.map(\.field).filter { fields.contains(change.projection.fields[$0].name) })
        return (
            change.with(FieldEdits(change.edits.filter { !places.contains($0.field) })),
            places.sorted().map { change.projection.fields[$0] }
        )
    }

    /// Puts back what stood in the units of these fields, where everything that was written there since has an earlier
    /// stamp: the repetition kept it then, and it would have stood against that.
    func restore(_ repeated: [Projection.Field], before stamp: Stamp, in state: inout RecordState, _ entity: HubEntity)
    {
        for place in Set(repeated.map(\.unit)) where entity.units[place].rule == .latest {
            let unit = entity.units[place]
            let stamps = [state.stamps[place]] + state.stamps.parts(of: place, in: entity)
            guard stamps.allSatisfy({ $0 < stamp }) else { continue }
            let kept = unit.columns.compactMap { values[entity.columns[$0].name] }
            // A later plan may have linked more with it.
            guard kept.count == unit.columns.count else { continue }
            for (column, value) in zip(unit.columns, kept) where state.values[column] != value {
                state.values[column] = value
                state.withheld &= ~entity.largeBits[column]
                guard let bit = entity.references.firstIndex(where: { $0.column == column }) else { continue }
                // Whether its target is there is settled once all is merged.
                state.dangling &= ~(1 << UInt64(bit))
            }
        }
    }
}

extension Merge {
    /// Merges a change that was held, with what its device had read of the record then: it ends as if it had come in
    /// time.
    static func replay(
        _ change: Change, _ reading: HeldReading, at stamp: Stamp, to state: inout RecordState, in entity: HubEntity,
        readers: [Projection], mode: ChangeMode
    ) throws(LensFailure) -> Outcome {
        let (rest, repeated) = reading.divide(change)
        // Of a whole record a repetition says nothing at all.
        if mode == .whole || repeated.isEmpty {
            return try apply(rest, at: stamp, to: &state, in: entity, readers: readers, read: nil)
        }
        reading.restore(repeated, before: stamp, in: &state, entity)
        var outcome = Outcome()
        if rest.operation == .create || !rest.edits.isEmpty {
            outcome = try apply(rest, at: stamp, to: &state, in: entity, readers: readers, read: nil)
        }
        outcome.add(try sayAgain(repeated, of: change, at: stamp, in: &state, entity, readers))
        return outcome
    }

    /// Whatever the record says there now is what the device is taken to repeat: only the stamp advances.
    static func sayAgain(
        _ repeated: [Projection.Field], of change: Change, at stamp: Stamp, in state: inout RecordState,
        _ entity: HubEntity, _ readers: [Projection]
    ) throws(LensFailure) -> Outcome {
        let echoes = repeated.compactMap { field in
            change.projection.field(named: field.name).map {
                FieldEdit(field: $0, value: state.visible(field, in: entity))
            }
        }
        let echo = change.with(FieldEdits(echoes), as: .update)
        return try apply(echo, at: stamp, to: &state, in: entity, readers: readers, read: state)
    }
}

/// As it is kept: `{"fields": ["price"], "values": {"price": "12.50"}}`.
extension HeldReading {
    var text: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("fields", fields.sorted())
            writer.key("values")
            writer.beginObject()
            for (column, value) in values.sorted(by: { $0.key < $1.key }) {
                writer.key(column)
                writer.kept(value)
            }
            writer.endObject()
            writer.endObject()
        }
    }

    /// `nil` for what is none, such as of a change that a server of the release before has held. Values that no column
    /// of the entity has are left out.
    init?(_ text: String, _ entity: HubEntity) {
        guard let root = try? JSONDocument(parsing: text).root, let names = root["fields"]?.strings,
            let members = root["values"]?.members
        else { return nil }
        var values: [String: Value] = [:]
        for member in members {
            guard let column = entity.columns.first(where: { $0.name == member.key }),
                let value = member.value.kept(in: column)
            else { continue }
            values[column.name] = value
        }
        self.fields = Set(names)
        self.values = values
    }
}

extension JSONWriter {
    /// Exactly, whatever SQL may have written: a number that is none, or a date beyond the wire's years.
    fileprivate mutating func kept(_ value: Value) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .double(let value): int(Int64(bitPattern: value.bitPattern))
        case .date(let value): int(value.microseconds)
        case .decimal(let value): string(value.text)
        case .string(let text), .json(let text): string(text)
        case .uuid(let id): string(id.description)
        case .data(let bytes): string(Base64.encode(bytes))
        }
    }
}

extension JSONNode {
    /// Reads what `JSONWriter.kept` wrote of a column; `nil` where that is none of its type.
    fileprivate func kept(in column: HubEntity.Column) -> Value? {
        if isNull { return column.isNullable ? .null : nil }
        switch column.type {
        case .boolean: return bool.map(Value.bool)
        case .bigint: return int64.map(Value.int)
        case .double: return int64.map { .double(Double(bitPattern: UInt64(bitPattern: $0))) }
        case .timestamp: return int64.map { .date(Timestamp(microseconds: $0)) }
        case .numeric: return string.flatMap { DecimalText($0) }.map(Value.decimal)
        case .text: return string.map(Value.string)
        case .json: return string.map(Value.json)
        case .uuid: return string.flatMap { ID($0) }.map(Value.uuid)
        case .bytes: return withUTF8 { Base64.decode($0) }.flatMap { $0 }.map(Value.data)
        }
    }
}
