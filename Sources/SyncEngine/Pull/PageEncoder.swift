import PGStore
import Postgres
import StrictJSON
import WireFormats

/// Writes pulled records as JSON, as one version reads them. Columns that the version reads unchanged are written
/// straight from PostgreSQL's binary rows.
///
/// A class, because it is used for each record, and copying a struct of this size took a quarter of the time.
final class PageEncoder: Sendable {
    private let projection: Projection
    /// The JSON at the beginning of a record, up to its id.
    private let opening: [UInt8]
    private let fields: [Field]
    /// The JSON keys of all fields, one after the other. `Cell.key` is the range of a single key.
    private let keys: [UInt8]
    /// For each element of `fields`, the part that is needed to write most values, in the same order.
    private let cells: [Cell]
    private let entity: HubEntity
    private let attributesStart: Int
    private let hasReferences: Bool
    /// True if record ids are texts in this version.
    private let hasTextID: Bool
    private let faults: ReadFaults

    private struct Field: Sendable {
        let key: JSONKey
        /// The column's type as it is read: text for a reference whose target has a text id.
        let column: ColumnType
        let field: Projection.Field
        /// The bit of the reference in the record's `dangling` bits. If it is set, the reference reads as null. It is 0
        /// if the field is not a reference.
        let danglingBit: UInt64
    }

    /// The trivially copyable part of a field. A copy of a `Field` would cost reference counting for every value.
    private struct Cell {
        /// The range of `keys` that has the field's JSON key.
        let key: Range<Int>
        let column: ColumnType
        let danglingBit: UInt64
        /// True if the version reads the column unchanged, so that no lens translates its values.
        let isPlain: Bool
        let isOptional: Bool
        let isEnumeration: Bool
    }

    /// The JSON between the values of a living record's id and its sequence number: the member with the operation.
    private static let alive = between(.update)
    private static let dead = between(.delete)

    private static func between(_ operation: ChangeOperation) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(operation.rawValue)
        return BodyMember.operation.text + writer.bytes + BodyMember.seq.text
    }

    /// Creates an encoder for the records of one entity in one version.
    ///
    /// - Parameter faults: records the values that cannot be sent; they are sent as the attribute's default.
    init(_ projection: Projection, table: RecordTable, faults: ReadFaults) {
        self.faults = faults
        self.projection = projection
        var writer = JSONWriter()
        writer.beginObject()
        writer.key(BodyMember.entity)
        writer.string(projection.name)
        opening = [UInt8(ascii: ",")] + writer.bytes + BodyMember.id.text
        entity = table.entity
        attributesStart = PageQuery.Row.attributesStart(of: entity)
        hasReferences = !entity.references.isEmpty
        hasTextID = projection.identityType == .string
        let fields = projection.fields.map { field in
            let bit = table.entity.references.firstIndex { $0.column == field.column }
            return Field(
                key: JSONKey(field.name),
                column: field.isTextReference ? .text : table.entity.columns[field.column].type, field: field,
                danglingBit: bit.map { 1 << UInt64($0) } ?? 0)
        }
        var keys: [UInt8] = []
        cells = fields.map { field in
            let start = keys.count
            keys += field.key.text
            return Cell(
                key: start..<keys.count, column: field.column, danglingBit: field.danglingBit,
                isPlain: field.field.isPlainCopy, isOptional: field.field.form.isOptional,
                isEnumeration: field.field.form.isEnumeration)
        }
        (self.fields, self.keys) = (fields, keys)
    }

    /// Appends the record in `row` of the result of `PageQuery.reading`.
    ///
    /// - Parameters:
    ///   - space: the record's space.
    ///   - withStamps: true to write also the stamps of the creation and of single attributes, if they differ from the
    ///     record's latest stamp. For a deleted record, only the stamp of its deletion is written.
    func write(_ rows: Rows, _ row: Int, of space: ID, withStamps: Bool, to writer: inout JSONWriter) {
        writer.text(beforeValue: opening)
        if hasTextID {
            rows.withBytes(row, PageQuery.Row.id) { writer.string($0) }
        } else {
            writer.id(PageQuery.Row.id(rows, row))
        }
        let isAlive = PageQuery.Row.isAlive(rows, row)
        writer.text(beforeValue: isAlive ? PageEncoder.alive : PageEncoder.dead)
        writer.int(PageQuery.Row.seq(rows, row))
        writer.key(BodyMember.stamp)
        let stamp = stamp(rows, row, withStamps: withStamps)
        writer.int(stamp)
        if withStamps { writeStamps(rows, row, isAlive: isAlive, latest: stamp, to: &writer) }
        if isAlive { writeFields(rows, row, of: space, to: &writer) }
        writer.endObject()
    }

    /// Returns the latest of the record's stamps. It is sent because a device's clock must not fall behind the stamps
    /// that the device has received.
    ///
    /// - Parameter withStamps: true if the created and deleted stamps are sent, too, so that they count here.
    private func stamp(_ rows: Rows, _ row: Int, withStamps: Bool) -> Int64 {
        let base = PageQuery.Row.stamp(rows, row)
        let latest = rows.withBytes(row, PageQuery.Row.stamps) { StampSet.latest(base: base, packed: $0) }.rawValue
        return withStamps ? max(latest, createdStamp(rows, row), deletedStamp(rows, row)) : latest
    }

    private func createdStamp(_ rows: Rows, _ row: Int) -> Int64 { stamp(rows, row, attributesStart + cells.count) }
    private func deletedStamp(_ rows: Rows, _ row: Int) -> Int64 { stamp(rows, row, attributesStart + cells.count + 1) }
    private func stamp(_ rows: Rows, _ row: Int, _ column: Int) -> Int64 {
        Stamp(stored: rows.int(row, column)).rawValue
    }

    /// Returns one bit for each reference of the record, set if the reference reads as null because its target is
    /// absent or deleted.
    private func dangling(_ rows: Rows, _ row: Int) -> UInt64 {
        hasReferences ? UInt64(bitPattern: rows.int(row, attributesStart - 1)) : 0
    }

    private func writeStamps(
        _ rows: Rows, _ row: Int, isAlive: Bool, latest: Int64, to writer: inout JSONWriter
    ) {
        let (created, deleted) = (createdStamp(rows, row), deletedStamp(rows, row))
        guard isAlive else {
            // A record that was deleted by a cascade comes back with its parent, and nobody deleted it itself.
            guard deleted > created else { return }
            writer.key(BodyMember.deleted)
            return writer.int(deleted)
        }
        if created != latest {
            writer.key(BodyMember.created)
            writer.int(created)
        }
        writeAbsentTargets(rows, row, to: &writer)
        let base = PageQuery.Row.stamp(rows, row)
        let stamps = rows.withBytes(row, PageQuery.Row.stamps) { StampSet(base: base, packed: $0, of: entity) }
        func stamp(of field: Projection.Field) -> Int64 {
            stamps.stamp(of: field.column, unit: field.unit, in: entity).rawValue
        }
        let others = fields.filter { stamp(of: $0.field) != latest }
        if others.isEmpty { return }
        writer.key(BodyMember.stamps)
        writer.beginObject()
        for field in others {
            writer.key(field.key)
            writer.int(stamp(of: field.field))
        }
        writer.endObject()
    }

    /// Writes the stored targets of the references that read as null because these targets are absent or deleted.
    private func writeAbsentTargets(_ rows: Rows, _ row: Int, to writer: inout JSONWriter) {
        let dangling = dangling(rows, row)
        let hidden = fields.indices.filter {
            dangling & fields[$0].danglingBit != 0 && !rows.isNull(row, attributesStart + $0)
        }
        if hidden.isEmpty { return }
        writer.key(BodyMember.absent)
        writer.beginObject()
        for index in hidden {
            writer.key(fields[index].key)
            if !stored(index, rows, row, to: &writer) { writer.null() }
        }
        writer.endObject()
    }

    private func writeFields(_ rows: Rows, _ row: Int, of space: ID, to writer: inout JSONWriter) {
        let dangling = dangling(rows, row)
        writer.key(BodyMember.fields)
        writer.beginObject()
        keys.withUnsafeBufferPointer { keys in
            for index in cells.indices {
                writer.text(beforeValue: UnsafeBufferPointer(rebasing: keys[cells[index].key]))
                if dangling & cells[index].danglingBit != 0 {
                    writer.null()
                } else if cells[index].isPlain {
                    if stored(index, rows, row, to: &writer) { continue }
                    writeStandard(index, .stored, rows, row, of: space, to: &writer)
                } else if let cause = translated(index, rows, row, to: &writer) {
                    writeStandard(index, cause, rows, row, of: space, to: &writer)
                }
            }
        }
        writer.endObject()
    }

    /// Appends a field's value, translated from the stored form into the form of the version.
    ///
    /// - Returns: `nil` if the value was written; otherwise the reason why it cannot be sent, and nothing was written.
    private func translated(
        _ index: Int, _ rows: Rows, _ row: Int, to writer: inout JSONWriter
    ) -> ReadFaults.Cause? {
        let field = fields[index].field
        guard let stored = rows.value(row, attributesStart + index, as: cells[index].column) else { return .stored }
        do throws(LensFailure) {
            // The lens checks its own results, so the fault is in the table's value.
            return field.form.write(try field.translated(stored), to: &writer) ? nil : .stored
        } catch {
            return .lens
        }
    }

    private func writeStandard(
        _ index: Int, _ cause: ReadFaults.Cause, _ rows: Rows, _ row: Int, of space: ID, to writer: inout JSONWriter
    ) {
        let field = fields[index].field
        faults.note(cause, projection, field, in: ReadFaults.Location(space: space, record: id(rows, row)))
        writer.value(field.standard)
    }

    private func id(_ rows: Rows, _ row: Int) -> String {
        hasTextID ? rows.string(row, PageQuery.Row.id) : "\(PageQuery.Row.id(rows, row))"
    }

    /// Appends the stored value of a field unchanged, without making a `Value` of it.
    ///
    /// - Returns: true if the value was written; false, and nothing was written, if the attribute cannot have this
    ///   value.
    private func stored(_ index: Int, _ rows: Rows, _ row: Int, to writer: inout JSONWriter) -> Bool {
        let (cell, column) = (cells[index], attributesStart + index)
        if rows.isNull(row, column) {
            if cell.isOptional { writer.null() }
            return cell.isOptional
        }
        switch cell.column {
        case .boolean: writer.bool(rows.bool(row, column))
        case .bigint: writer.int(rows.int(row, column))
        case .double:
            let value = rows.double(row, column)
            guard value.isFinite else { return false }
            writer.double(value)
        case .text where cell.isEnumeration:
            return rows.withBytes(row, column) { fields[index].field.form.write(case: $0, to: &writer) }
        case .text: rows.withBytes(row, column) { writer.string($0) }
        case .numeric: return rows.withBytes(row, column) { fields[index].field.form.write(decimal: $0, to: &writer) }
        case .timestamp:
            let moment = rows.storedTimestamp(row, column)
            guard Timestamp.wireRange.contains(moment) else { return false }
            writer.timestamp(moment)
        case .uuid: writer.id(rows.id(row, column))
        case .bytes: writer.value(.data(rows.bytes(row, column)))
        case .json: return rows.withBytes(row, column) { fields[index].field.form.write(json: $0, to: &writer) }
        }
        return true
    }
}
