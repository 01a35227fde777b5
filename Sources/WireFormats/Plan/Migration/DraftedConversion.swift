/// An SQL function for the author of a conversion to write. It computes the columns that one operation adds.
struct DraftedConversion {
    /// The function's qualified name, such as `fitiq.sd_meal_log_item_quantity_v8`.
    let qualifiedName: String
    /// A description of the Swift conversion that the function repeats.
    let summary: String
    let sources: [HubEntity.Column]
    let targets: [AddedColumn]
    /// The complete function, if its author has nothing to write.
    var written: String?

    /// The statement that drops the function.
    var drop: String {
        "DROP FUNCTION \(qualifiedName)(\(sources.map { SQLText.type($0.type) }.joined(separator: ", ")));"
    }

    /// The declaration of the function. Without a complete text it is commented out, so that the step has no statement
    /// and no command takes the file for a finished one.
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

    /// A clause of UPDATE … SET that calls the function. It reads from the row named `row`.
    func setting(of row: String) -> String {
        if targets.count < 2 { return "\(targets[0].name) = \(call(on: row))" }
        return "(\(names)) = (\n        SELECT \(made)\n        FROM \(call(on: row)) AS made)"
    }

    /// The assignment of the function's result to the new row in a trigger.
    var assignment: String {
        if targets.count < 2 { return "NEW.\(targets[0].name) := \(call(on: "NEW"));" }
        let assigned = targets.map { "NEW.\($0.name)" }.joined(separator: ", ")
        return "SELECT \(made) INTO \(assigned)\n        FROM \(call(on: "NEW")) AS made;"
    }

    /// An SQL condition: true if the update changed a source column of the conversion. `nil` if no source can change.
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
