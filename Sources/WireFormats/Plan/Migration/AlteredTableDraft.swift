/// The statements that bring a table to what a further version needs.
struct AlteredTableDraft {
    /// `fitiq.sd_meal`
    let place: String
    let name: String
    /// Whether records that are there get something new.
    let fillsRecords: Bool
    let convertsDoubles: Bool
    /// New and wider columns, and indices.
    let alterations: [String]
    /// Values for the records that are there, to run while row-level security is not forced.
    let backfills: [String]
    /// What holds once they are there.
    let restrictions: [String]

    var isEmpty: Bool { alterations.isEmpty }

    init(from older: HubEntity, to newer: HubEntity, schema: String, origins: ColumnOrigins) {
        place = SQLText.place(schema, newer.table)
        let kept = Array(zip(older.columns, newer.columns))
        let added = newer.columns.indices.dropFirst(older.columns.count).map {
            AddedColumn(column: newer.columns[$0], origin: origins[$0])
        }
        let retyped = kept.filter { $0.type != $1.type }
        let relaxed = kept.filter { $0.isNullable != $1.isNullable }
        name =
            added.first.map { "add-\(SQLText.fileWords($0.column.name))" }
            ?? retyped.first.map { "convert-\(SQLText.fileWords($0.1.name))" }
            ?? relaxed.first.map { "relax-\(SQLText.fileWords($0.1.name))" }
            ?? newer.uniqueColumns.first.map { "index-\(SQLText.fileWords(newer.columns[$0].name))" } ?? ""
        convertsDoubles = retyped.contains { $0.type == .double && $1.type == .numeric }
        fillsRecords = !retyped.isEmpty || added.contains { !$0.staysNull }

        let width = added.map(\.name.count).max() ?? 0
        let clauses =
            retyped.map(Self.conversion)
            + relaxed.map { "ALTER COLUMN \(SQLText.identifier($1.name)) DROP NOT NULL" }
            + added.map { "ADD COLUMN \(SQLText.padded($0.name, to: width)) \($0.declaration)" }
        let place = place
        let indices =
            newer.references.filter { $0.column >= older.columns.count }.map {
                SQLText.index(place, newer.columns[$0.column].name)
            }
            + newer.uniqueColumns.filter { !older.uniqueColumns.contains($0) }.map {
                SQLText.lookup(place, newer.columns[$0].name)
            }
        alterations =
            (clauses.isEmpty ? [] : [SQLText.alter(place, clauses)])
            + (indices.isEmpty ? [] : [indices.joined(separator: "\n")])
        backfills = Self.creationFill(place, added) + Self.computedFill(place, added)
        let required = added.filter { $0.needsFill && !$0.column.isNullable }
        restrictions =
            required.isEmpty
            ? [] : [SQLText.alter(place, required.map { "ALTER COLUMN \($0.name) SET NOT NULL" })]
    }

    private static func conversion(from older: HubEntity.Column, to newer: HubEntity.Column) -> String {
        let name = SQLText.identifier(newer.name)
        let type = SQLText.type(newer.type)
        return "ALTER COLUMN \(name) TYPE \(type)\n        USING \(name)::text::\(type)"
    }

    private static func creationFill(_ place: String, _ added: [AddedColumn]) -> [String] {
        let columns = added.filter { if case .creation = $0.origin { true } else { false } }
        guard !columns.isEmpty else { return [] }
        let moment = """
            timestamptz '1970-01-01 00:00:00+00'
                    + interval '1 millisecond' * ((CASE WHEN born > 0 THEN born ELSE stamp END) >> 11)
            """
        return [
            """
            -- The record's creation: the wall time of its creating stamp, or of its only one where it was never
            -- explicitly created. A stamp's upper 42 bits are milliseconds since 1970.
            UPDATE \(place)
            SET
            \(columns.map { "    \($0.name) = \(moment)" }.joined(separator: ",\n"));
            """
        ]
    }

    /// One statement for what one operation makes, commented out, and a guard against forgetting it.
    private static func computedFill(_ place: String, _ added: [AddedColumn]) -> [String] {
        var summaries: [String] = []
        var columns: [String: [AddedColumn]] = [:]
        var sources: [String: [String]] = [:]
        for column in added {
            guard case .computed(let summary, let from) = column.origin else { continue }
            if columns[summary] == nil { summaries.append(summary) }
            columns[summary, default: []].append(column)
            sources[summary] = from
        }
        guard !summaries.isEmpty else { return [] }
        let drafts = summaries.map { summary in
            let from = (sources[summary] ?? []).map(SQLText.identifier).joined(separator: ", ")
            let settings = (columns[summary] ?? []).map { "--     \($0.name) = …(\(from))" }
            return """
                -- To write, what the lens does in Swift:
                -- \(summary)
                --
                -- UPDATE \(place)
                -- SET
                \(settings.joined(separator: ",\n"));
                """
        }
        let guardian = """
            -- Until that is written: refuses a table with records, of any space. Then delete this.
            DO $$
            BEGIN
                IF EXISTS (SELECT FROM \(place)) THEN
                    RAISE EXCEPTION 'What records get in these columns is not written yet: %',
                        '\(place): \(words(added))';
                END IF;
            END
            $$;
            """
        return drafts + [guardian]
    }

    private static func words(_ added: [AddedColumn]) -> String {
        added.filter { if case .computed = $0.origin { true } else { false } }.map(\.column.name)
            .joined(separator: ", ")
    }
}

/// A column that is new in a table, and what records that are there get in it.
private struct AddedColumn {
    let column: HubEntity.Column
    let origin: ColumnOrigins.Origin

    var name: String { SQLText.identifier(column.name) }

    /// Whether an UPDATE gives it its values.
    var needsFill: Bool {
        if case .constant = origin { false } else { true }
    }

    var staysNull: Bool {
        if case .constant(.null) = origin { true } else { false }
    }

    var declaration: String {
        let type = SQLText.type(column.type)
        guard case .constant(let value) = origin, !staysNull else { return type }
        return "\(type)\(column.isNullable ? "" : " NOT NULL") DEFAULT \(SQLText.literal(value))"
    }
}
