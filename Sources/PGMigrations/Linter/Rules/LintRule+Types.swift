internal import SQLText
internal import WireFormats

/// Rules about the types of columns.
extension LintRule {
    static let types = [
        enumType, textWithLength, timestampWithoutZone, serialColumn, smallKey, referenceWithoutIndex,
    ]

    private static let enumType = LintRule(
        "enum-type", "values of an enum are never removed, and a new one is no use until its transaction ends",
        advice: "Use text, and CHECK … NOT VALID where a wrong value must not get in. A domain is no better to change."
    ) { statement, _, _ in
        switch statement.action {
        case .createEnum(let name), .alterEnum(let name, _), .createDomain(let name, _, isConstrained: true):
            ["\(name)"]
        case .other("AlterDomainStmt"): [statement.headline]
        default: []
        }
    }

    private static let textWithLength = LintRule(
        "text-with-length", "char and varchar(n) refuse, or cut off, what an older client may well send",
        advice: "Use text; a limit belongs into the plan."
    ) { statement, _, _ in
        statement.columns.filter { column in
            column.type.name.name == "bpchar" || column.type.name.name == "varchar" && column.type.hasModifier
        }.map(\.subject)
    }

    private static let timestampWithoutZone = LintRule(
        "timestamp-without-zone", "it means another moment in each session's time zone",
        advice: "Use timestamptz."
    ) { statement, _, _ in
        statement.columns.filter { ["timestamp", "timetz"].contains($0.type.name.name) }.map(\.subject)
    }

    private static let serialColumn = LintRule(
        "serial-column", "serial leaves a sequence with grants and a name of its own beside the table",
        advice: "Use bigint GENERATED ALWAYS AS IDENTITY; a record's id is a uuid from the device."
    ) { statement, _, _ in
        statement.columns.filter(\.type.isSerial).map(\.subject)
    }

    private static let smallKey = LintRule(
        "small-key", "a key of 32 bits or fewer runs out, and widening it rewrites the table",
        advice: "Use bigint or uuid."
    ) { statement, _, _ in
        var keys: Set<String> = []
        if case .createTable(let definition) = statement.action { keys = Set(definition.primaryKey ?? []) }
        return statement.columns.filter { column in
            column.type.isSmallInteger && (column.isIdentity || column.type.isSerial || keys.contains(column.name))
        }.map(\.subject)
    }

    private static let referenceWithoutIndex = LintRule(
        "reference-without-index",
        "the server looks for what refers to a record that died, and would read the whole space for each",
        advice: "CREATE INDEX ON app.t (space_id, column) in the file that makes the column."
    ) { (file: LintedFile, surroundings) in
        let indexed = Set(
            file.statements.compactMap { statement -> [String]? in
                guard case .createIndex(let index) = statement.action, index.columns.count > 1 else { return nil }
                return ["\(index.table)"] + index.columns.prefix(2).map { $0 ?? "" }
            })
        return file.statements.flatMap { statement in
            statement.columns.filter { column in
                surroundings.isReference(column) && !indexed.contains(["\(column.table)", "space_id", column.name])
            }.map { Violation(statement: statement, subject: $0.subject) }
        }
    }
}

extension LintSurroundings {
    fileprivate func isReference(_ column: TypedColumn) -> Bool {
        guard let entity = entity(of: column.table) else { return false }
        return entity.references.contains { entity.columns[$0.column].name == column.name }
    }
}

private struct TypedColumn {
    let table: SQLName
    let name: String
    let type: SQLTypeName
    let isIdentity: Bool

    var subject: String { "\(table).\(name)" }
}

extension SQLStatement {
    /// The columns that the statement adds, or whose type it changes.
    fileprivate var columns: [TypedColumn] {
        switch action {
        case .createTable(let definition):
            definition.columns.map {
                TypedColumn(table: definition.table, name: $0.name, type: $0.type, isIdentity: $0.isIdentity)
            }
        case .alterTable(let alteration):
            alteration.commands.compactMap { command in
                switch command {
                case .addColumn(let column, _):
                    TypedColumn(
                        table: alteration.relation, name: column.name, type: column.type,
                        isIdentity: column.isIdentity)
                case .setType(let name, let type):
                    TypedColumn(table: alteration.relation, name: name, type: type, isIdentity: false)
                default: nil
                }
            }
        default: []
        }
    }
}
