/// The steps that change a table into the form that a later version needs.
struct AlteredTableDraft {
    let name: String
    /// True if the migration changes values in existing records.
    let fillsRecords: Bool
    /// True if the draft is complete SQL. False if the migration's author must still write an SQL function.
    let isComplete: Bool
    let steps: [DraftedStep]

    /// Drafts the steps that change the table of `older` into the table of `newer`.
    ///
    /// - Parameters:
    ///   - added: the columns of `newer` that `older` does not have.
    ///   - converted: for each column of `older` whose values are converted to a newer form: descriptions of the
    ///     conversions.
    ///   - level: the number of the migration file.
    init(
        from older: HubEntity, to newer: HubEntity, schema: String, added: [AddedColumn], converted: [Int: [String]],
        level: String
    ) {
        let qualifiedName = SQLText.qualifiedName(schema, newer.table)
        let written = Self.conversions(converted, from: older, to: newer, schema: schema)
        let kept = Array(zip(older.columns, newer.columns))
        let retyped = kept.enumerated().filter { written[$0.offset] != nil || $0.element.0.type != $0.element.1.type }
        let relaxed = kept.filter { $0.isNullable != $1.isNullable }
        name =
            added.first.map { "add-\(SQLText.fileWords($0.column.name))" }
            ?? retyped.first.map { "convert-\(SQLText.fileWords($0.element.1.name))" }
            ?? relaxed.first.map { "relax-\(SQLText.fileWords($0.1.name))" }
            ?? newer.uniqueColumns.first.map { "index-\(SQLText.fileWords(newer.columns[$0].name))" } ?? ""
        fillsRecords = !retyped.isEmpty || added.contains { !$0.staysNull }

        let width = added.map(\.name.count).max() ?? 0
        let checks = (retyped.map(\.element.1) + added.map(\.column)).compactMap { ValueCheck($0) }
        // PostgreSQL would check the new type by the old type's rule. A table from an older draft has no such rule.
        let oldChecks = retyped.compactMap { ValueCheck($0.element.0) }
        let clauses =
            oldChecks.map { "DROP CONSTRAINT IF EXISTS \($0.name)" }
            + retyped.map { Self.conversion(from: $0.element.0, to: $0.element.1, by: written[$0.offset]) }
            + relaxed.map { "ALTER COLUMN \(SQLText.identifier($1.name)) DROP NOT NULL" }
            + added.map { "ADD COLUMN \(SQLText.padded($0.name, to: width)) \($0.declaration)" }
            + checks.map { "ADD \($0.declaration) NOT VALID" }
        let validation =
            checks.isEmpty
            ? []
            : [
                DraftedStep(
                    .expand, directive: DraftedStep.apart,
                    [SQLText.alter(qualifiedName, checks.map { "VALIDATE CONSTRAINT \($0.name)" })])
            ]
        let remarks =
            retyped.isEmpty
            ? [] : Self.remarks(onDoubles: retyped.contains { $1.0.type == .double && $1.1.type == .numeric })
        let allowance = retyped.isEmpty ? "" : Self.allowance + "\n"
        let fill = FilledColumns(added, of: newer, schema: schema, level: level)
        isComplete = fill.conversions.allSatisfy { $0.written != nil } && written.isEmpty
        let functions = written.sorted { $0.key < $1.key }.map(\.value)
        let stubs = functions.isEmpty ? [] : [DraftedStep(.expand, functions.map(\.declaration))]
        let farewell = functions.isEmpty ? [] : [functions.map(\.drop).joined(separator: "\n")]
        let alteration =
            clauses.isEmpty
            ? []
            : [
                DraftedStep(
                    .expand, remarks + [allowance + SQLText.alter(qualifiedName, clauses)] + farewell + fill.trigger)
            ]
        let indices =
            newer.references.filter { $0.column >= older.columns.count }.map {
                SQLText.indexBesideTraffic(schema, newer.table, newer.columns[$0.column].name)
            }
            + newer.uniqueColumns.filter { !older.uniqueColumns.contains($0) }.map {
                SQLText.lookupBesideTraffic(schema, newer.table, newer.columns[$0].name)
            }
        let indexing = indices.isEmpty ? [] : [DraftedStep(.expand, directive: DraftedStep.apart, indices)]
        steps =
            stubs + fill.conversionStep + alteration + validation + indexing + fill.backfills + fill.verification
            + fill.contract
    }

    private static func conversion(
        from older: HubEntity.Column, to newer: HubEntity.Column, by function: DraftedConversion?
    ) -> String {
        let name = SQLText.identifier(newer.name)
        let type = SQLText.type(newer.type)
        let made = function.map { "\($0.qualifiedName)(\(name))" } ?? "\(name)::text::\(type)"
        return "ALTER COLUMN \(name) TYPE \(type)\n        USING \(made)"
    }

    /// By column: the SQL function for a conversion, which the author must write. A column has none if a cast through
    /// text gives the right values.
    private static func conversions(
        _ converted: [Int: [String]], from older: HubEntity, to newer: HubEntity, schema: String
    ) -> [Int: DraftedConversion] {
        var functions: [Int: DraftedConversion] = [:]
        for (column, summaries) in converted {
            let (before, after) = (older.columns[column], newer.columns[column])
            if before.type != after.type, before.type.hasTextOfItsOwn, after.type.hasTextOfItsOwn { continue }
            functions[column] = DraftedConversion(
                qualifiedName: SQLText.qualifiedName(schema, SQLText.name("\(newer.table)_\(after.name)")),
                summary: summaries.joined(separator: "\n"), sources: [before],
                targets: [
                    AddedColumn(column: after, origin: .computed(by: summaries[0], from: [before.name]), stage: 0)
                ])
        }
        return functions
    }

    private static let allowance =
        "-- lint: allow(column-type-changed) because the plan keeps both forms in this one column"

    /// The comments above the statements that convert columns. With `onDoubles` they say why a Double is converted by
    /// way of text: PostgreSQL's cast keeps only 15 digits, but the text has all digits that distinguish a Double from
    /// its neighbours.
    private static func remarks(onDoubles: Bool) -> [String] {
        let warning = """
            -- The plan keeps both forms in one column, and servers of the release before read another type:
            -- stop them first. The table is rewritten under a lock.
            """
        let doubles = """
            -- Through text: a plain cast to numeric keeps 15 digits, which changes most Doubles. From 2^54 on
            -- Swift's shortest text may be shorter than PostgreSQL's. Where such numbers occur, take the
            -- function in Migrations/allesteurer/0002-make-numbers-exact.sql.
            SET LOCAL extra_float_digits = 1;
            """
        return [warning] + (onDoubles ? [doubles] : [])
    }
}

extension ColumnType {
    /// True if values of this type have a text form that PostgreSQL can cast to another type. If two types both have
    /// one, a column is converted from one to the other by a cast through text.
    fileprivate var hasTextOfItsOwn: Bool {
        switch self {
        case .boolean, .bigint, .double, .numeric, .text, .timestamp, .uuid: true
        case .bytes, .json: false
        }
    }
}
