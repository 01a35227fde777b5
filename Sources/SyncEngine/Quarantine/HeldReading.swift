import PGStore
import StrictJSON
import WireFormats

/// The values that the device of a quarantined change had read in the record, and that the change only repeats. With
/// them, a replay of the change has the result that the push would have had: a repeated value does not count as an
/// edit.
///
/// They are stored with the change (`sync.quarantine.reading`), because they cannot be determined later. By then, the
/// stored value may be another one, and a reference that read as null may have a target.
struct HeldReading: Sendable {
    /// The names of the fields that only repeat a value which the device had read, as the change's version calls them.
    let fields: Set<String>
    /// The values that were stored when the change arrived, by the column's name. They are the values of the merge
    /// units (attributes that win or lose together) that contain the repeated fields.
    ///
    /// Empty for changes that contain whole records: there, repeated values are ignored.
    let values: [String: Value]

    /// Determines which fields of a change only repeat what its device has read.
    ///
    /// - Parameters:
    ///   - state: the record when the change arrived.
    ///   - read: the record as the change's device had read it; `nil` if it had not read the record.
    ///   - rewritten: the merge units that the same device has edited in other changes that are in quarantine, too.
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
            // A creation itself sets the attributes that nobody has written yet.
            let isUnsaid =
                change.operation == .create
                && state.stamps.stamp(of: field.column, unit: field.unit, in: entity) == .never
            return !isUnsaid && !rewritten.contains(field.unit)
                && ConflictMerge.isRepetition(edit, in: field, of: state, entity, read: read)
        }.map(\.1)
        fields = Set(repeated.map(\.name))
        let columns = Set(repeated.map(\.unit)).flatMap { entity.units[$0].columns }
        values = Dictionary(uniqueKeysWithValues: columns.map { (entity.columns[$0].name, state.values[$0]) })
    }

    /// Splits a change into the change without its repeated fields, and these fields. A repeated field only repeats a
    /// value that the device had read.
    func divide(_ change: Change) -> (rest: Change, repeated: [Projection.Field]) {
        let indices = Set(change.edits.map(\.field).filter { fields.contains(change.projection.fields[$0].name) })
        return (
            change.with(FieldEdits(change.edits.filter { !indices.contains($0.field) })),
            indices.sorted().map { change.projection.fields[$0] }
        )
    }

    /// Restores the values that the record had when the change arrived, in the merge units (attributes that win or lose
    /// together) of the repeated fields.
    ///
    /// A unit is restored only if every write to it has an earlier stamp than the change. If the change had been merged
    /// when it arrived, its repeated values would have won against those writes.
    func restore(_ repeated: [Projection.Field], before stamp: Stamp, in state: inout RecordState, _ entity: HubEntity)
    {
        for index in Set(repeated.map(\.unit)) where entity.units[index].rule == .latest {
            let unit = entity.units[index]
            let stamps = [state.stamps[index]] + state.stamps.parts(of: index, in: entity)
            guard stamps.allSatisfy({ $0 < stamp }) else { continue }
            let kept = unit.columns.compactMap { values[entity.columns[$0].name] }
            // A later plan may have linked more columns with the unit.
            guard kept.count == unit.columns.count else { continue }
            for (column, value) in zip(unit.columns, kept) where state.values[column] != value {
                state.values[column] = value
                state.withheld &= ~entity.largeBits[column]
                guard let bit = entity.references.firstIndex(where: { $0.column == column }) else { continue }
                // Whether the reference's target exists is settled when everything is merged.
                state.dangling &= ~(1 << UInt64(bit))
            }
        }
    }
}

extension ConflictMerge {
    /// Merges a change from quarantine, with the values that its device had read in the record when the change arrived.
    /// The outcome is the same as if the change had been merged then.
    static func replay(
        _ change: Change, _ reading: HeldReading, at stamp: Stamp, to state: inout RecordState, in entity: HubEntity,
        readers: [Projection], mode: ChangeMode
    ) throws(LensFailure) -> Outcome {
        let (rest, repeated) = reading.divide(change)
        // In a whole record, a repetition means nothing.
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

    /// Merges an edit of each repeated field, with the field's current value. No value changes; only the stamps of the
    /// fields advance.
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

/// The JSON text in which the values are stored: `{"fields": ["price"], "values": {"price": "12.50"}}`.
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

    /// Parses the text that is stored with a quarantined change. Returns `nil` for a text in another form, such as one
    /// that a server of the previous release stored. Values of columns that the entity does not have are left out.
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
    /// Writes a value without any loss, so that `kept(in:)` reads it back. That includes values which only SQL can have
    /// written: NaN, or a date that the wire format cannot express.
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
    /// Reads a column's value that `JSONWriter.kept` wrote; `nil` if it is not of the column's type.
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
