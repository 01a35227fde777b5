/// The SQL function by which a migration computes the columns that one operation adds. Usually the author of the
/// conversion must write its body.
struct DraftedConversion {
    /// The function's qualified name, such as `fitiq.sd_meal_log_item_quantity_v8`.
    let qualifiedName: String
    /// A description of the conversion that the plan's Swift code makes. The SQL function must do the same.
    let summary: String
    let sources: [HubEntity.Column]
    let targets: [AddedColumn]
    /// The SQL text of the complete function; `nil` if the migration's author must write the function's body.
    var written: String?

    /// The statement that drops the function.
    var drop: String {
        "DROP FUNCTION \(qualifiedName)(\(sources.map { SQLText.type($0.type) }.joined(separator: ", ")));"
    }

    /// The SQL statement that creates the function. If the author must still write the body, the statement is commented
    /// out. The migration step then has no statement, so every command refuses the file as unfinished.
    var declaration: String {
        if let written { return written }
        let inputs = sources.map { "\(SQLText.identifier($0.name)) \(SQLText.type($0.type))" }
        let outputs = targets.count < 2 ? [] : targets.map { "OUT \($0.name) \(SQLText.type($0.column.type))" }
        let result = targets.count < 2 ? [" RETURNS \(SQLText.type(targets[0].column.type))"] : []
        let lines = [
            "To write, what the lens does in Swift:", summary, "",
            "CREATE FUNCTION \(qualifiedName)(",
            "    " + (inputs + outputs).joined(separator: ",\n    ") + ")" + result.joined(),
            "    LANGUAGE sql IMMUTABLE",
            "    SET search_path = pg_catalog",
            "AS $$",
            "    SELECT \(targets.map { _ in "…" }.joined(separator: ", "))",
            "$$;",
        ]
        return lines.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "--" : "-- \($0)" }.joined(separator: "\n")
    }

    /// The assignment for `UPDATE … SET` that sets the new columns to the SQL function's results. The function's
    /// arguments are columns of the row with the alias `row`.
    func setting(of row: String) -> String {
        if targets.count < 2 { return "\(targets[0].name) = \(call(on: row))" }
        return "(\(names)) = (\n        SELECT \(made)\n        FROM \(call(on: row)) AS made)"
    }

    /// The statement in a trigger that assigns the function's result to the columns of the new row.
    var assignment: String {
        if targets.count < 2 { return "NEW.\(targets[0].name) := \(call(on: "NEW"));" }
        let assigned = targets.map { "NEW.\($0.name)" }.joined(separator: ", ")
        return "SELECT \(made) INTO \(assigned)\n        FROM \(call(on: "NEW")) AS made;"
    }

    /// The SQL condition for a trigger that is true if an update has changed a column that the conversion reads. `nil`
    /// if the conversion reads only columns that never change, such as `id`.
    var condition: String? {
        let changes = sources.filter { !HubEntityBuilder.reservedColumns.contains($0.name) }.map { source in
            let name = SQLText.identifier(source.name)
            // PostgreSQL has no equality operator for json.
            let cast = source.type == .json ? "::text" : ""
            return "NEW.\(name)\(cast) IS DISTINCT FROM OLD.\(name)\(cast)"
        }
        return changes.isEmpty ? nil : changes.joined(separator: "\n        OR ")
    }

    private var made: String { targets.map { "made.\($0.name)" }.joined(separator: ", ") }

    private var names: String { targets.map(\.name).joined(separator: ", ") }

    private func call(on row: String) -> String {
        "\(qualifiedName)(\(sources.map { "\(row).\(SQLText.identifier($0.name))" }.joined(separator: ", ")))"
    }
}
