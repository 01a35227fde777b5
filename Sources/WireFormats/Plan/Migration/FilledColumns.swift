/// The SQL statements that fill a table's new columns, as far as their values are not constants. A backfill fills them
/// in existing rows. A trigger fills them in rows that servers of the previous release still write. The migration's
/// last step, the contract step, drops the trigger.
struct FilledColumns {
    /// The table's qualified name, such as `fitiq.sd_meal`.
    let qualifiedName: String
    let schema: String
    let columns: [AddedColumn]
    let conversions: [DraftedConversion]
    /// The number of the migration file; `NNNN` if it is not known yet. A server that knows at least this many of the
    /// app's migrations fills the columns itself.
    let level: String

    private let table: String

    /// Selects the added columns whose values are not constants.
    ///
    /// - Parameter added: all new columns of the table.
    init(_ added: [AddedColumn], of entity: HubEntity, schema: String, level: String) {
        (qualifiedName, self.schema, self.level) = (SQLText.qualifiedName(schema, entity.table), schema, level)
        table = entity.table
        columns = added.filter(\.needsFill)
        var found: [DraftedConversion] = []
        var seen: Set<[String]> = []
        for column in columns {
            if case .derivedID(let name) = column.origin {
                let function = SQLText.qualifiedName(schema, SQLText.name("\(entity.table)_\(column.column.name)"))
                found.append(
                    DraftedConversion(
                        qualifiedName: function, summary: "", sources: [Self.id], targets: [column],
                        written: DerivedIDFunction(qualifiedName: function, name: name).text))
                continue
            }
            guard case .computed(let summary, let from) = column.origin,
                seen.insert(["\(column.stage)", summary]).inserted
            else { continue }
            found.append(
                DraftedConversion(
                    qualifiedName: SQLText.qualifiedName(schema, SQLText.name("\(entity.table)_\(column.column.name)")),
                    summary: summary,
                    sources: from.compactMap { name in
                        name == Self.id.name ? Self.id : entity.columns.first { $0.name == name }
                    },
                    targets: columns.filter { other in
                        guard other.stage == column.stage, case .computed(summary, _) = other.origin else {
                            return false
                        }
                        return true
                    }))
        }
        conversions = found
    }

    private static let id = HubEntity.Column(name: "id", type: .uuid, isNullable: false, introduced: 0, lastUsed: 0)

    private var required: [AddedColumn] { columns.filter { !$0.column.isNullable } }

    private var functionName: String {
        SQLText.qualifiedName(schema, SQLText.name("fill_\(table)_\(columns[0].column.name)"))
    }
    private var triggerName: String { SQLText.identifier(SQLText.name("fill_\(columns[0].column.name)")) }
    private var constraintName: String { SQLText.identifier(SQLText.name(required[0].column.name, "_is_filled")) }

    /// The step that creates the SQL functions for the new columns' values. The migration's author must write some of
    /// these functions. The step precedes all steps that call them.
    var conversionStep: [DraftedStep] {
        conversions.isEmpty ? [] : [DraftedStep(.expand, conversions.map(\.declaration))]
    }

    /// The SQL statements that create the trigger. It fills the new columns in rows that older servers write, which do
    /// not know these columns.
    var trigger: [String] {
        if columns.isEmpty { return [] }
        return [
            """
            -- Until the contract, servers that do not know the new columns write rows as well. Each says
            -- how many migrations it knows: fewer than \(level), which is this file's number.\(remark)
            CREATE FUNCTION \(functionName)() RETURNS trigger
                LANGUAGE plpgsql
                SET search_path = pg_catalog
            AS $$
            BEGIN
            \(assignments.joined(separator: "\n"))
                RETURN NEW;
            END
            $$;
            """,
            """
            CREATE TRIGGER \(triggerName) BEFORE INSERT OR UPDATE ON \(qualifiedName)
                FOR EACH ROW WHEN (sync.writer_level('\(schema)') < \(level))
                EXECUTE FUNCTION \(functionName)();
            """,
        ]
    }

    private var remark: String {
        columns.contains(where: \.isCreation)
            ? """

            -- A record is as old as its creating stamp, or its only one where it was never explicitly
            -- created. A stamp's upper 42 bits are milliseconds since 1970.
            """ : ""
    }

    private var stages: [Int] { Set(columns.map(\.stage)).sorted() }

    private var assignments: [String] {
        stages.flatMap { stage in
            let dates = creations(of: stage).map { "NEW.\($0.name) := \(Self.creation(of: "NEW"));" }
            let made = conversions(of: stage).map { Self.onChange($0.condition, $0.assignment) }
            return (dates.isEmpty ? [] : [Self.onChange("NEW.born <> OLD.born", dates.joined(separator: "\n        "))])
                + made
        }
    }

    private static func onChange(_ condition: String?, _ assignment: String) -> String {
        """
            IF TG_OP = 'INSERT'\(condition.map { " OR \($0)" } ?? "") THEN
                \(assignment)
            END IF;
        """
    }

    /// The steps that fill existing rows, one for each version or historical variant that introduced columns. They are
    /// separate, because a step may read values that an earlier step fills.
    var backfills: [DraftedStep] {
        stages.map { stage in
            let settings =
                creations(of: stage).map { "\($0.name) = \(Self.creation(of: "item"))" }
                + conversions(of: stage).map { $0.setting(of: "item") }
            let here = columns.filter { $0.stage == stage }
            let mark = here.first { !$0.column.isNullable } ?? here[0]
            return DraftedStep(
                .backfill, directive: "table=\(qualifiedName)",
                [
                    """
                    UPDATE \(qualifiedName) AS item
                    SET
                    \(settings.map { "    \($0)" }.joined(separator: ",\n"))
                    FROM batch
                    WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.\(mark.name) IS NULL;
                    """
                ])
        }
    }

    var verification: [DraftedStep] {
        if required.isEmpty { return [] }
        let gaps = required.map { "\($0.name) IS NULL" }.joined(separator: "\n    OR ")
        return [DraftedStep(.verify, ["SELECT space_id, id FROM \(qualifiedName)\nWHERE \(gaps);"])]
    }

    var contract: [DraftedStep] {
        if columns.isEmpty { return [] }
        let leaving =
            ["DROP TRIGGER \(triggerName) ON \(qualifiedName);", "DROP FUNCTION \(functionName)();"]
            + conversions.map(\.drop)
        let farewell = leaving.joined(separator: "\n")
        if required.isEmpty { return [DraftedStep(.contract, [farewell])] }
        let facts = required.map { "\($0.name) IS NOT NULL" }.joined(separator: "\n            AND ")
        return [
            DraftedStep(
                .contract,
                [SQLText.alter(qualifiedName, ["ADD CONSTRAINT \(constraintName)\n        CHECK (\(facts)) NOT VALID"])]
            ),
            DraftedStep(
                .contract, directive: DraftedStep.apart,
                ["ALTER TABLE \(qualifiedName) VALIDATE CONSTRAINT \(constraintName);"]),
            DraftedStep(
                .contract,
                [
                    "-- What was validated is not looked for again.\n"
                        + SQLText.alter(
                            qualifiedName,
                            required.map { "ALTER COLUMN \($0.name) SET NOT NULL" } + [
                                "DROP CONSTRAINT \(constraintName)"
                            ]
                        ),
                    farewell,
                ]),
        ]
    }

    private func creations(of stage: Int) -> [AddedColumn] { columns.filter { $0.stage == stage && $0.isCreation } }

    private func conversions(of stage: Int) -> [DraftedConversion] {
        conversions.filter { $0.targets[0].stage == stage }
    }

    /// Returns an SQL expression for the time at which the record in the row `row` was created.
    private static func creation(of row: String) -> String {
        """
        timestamptz '1970-01-01 00:00:00+00' + interval '1 millisecond'
                    * ((CASE WHEN \(row).born > 0 THEN \(row).born ELSE \(row).stamp END) >> 11)
        """
    }
}
