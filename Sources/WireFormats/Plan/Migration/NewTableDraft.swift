/// The statements that create an entity's table.
struct NewTableDraft {
    let entity: HubEntity
    let schema: String

    init(_ entity: HubEntity, schema: String) {
        self.entity = entity
        self.schema = schema
    }

    var name: String { "create-\(SQLText.fileWords(entity.table))" }

    var blocks: [String] {
        let qualifiedName = SQLText.qualifiedName(schema, entity.table)
        let indices =
            entity.references.map { SQLText.index(qualifiedName, entity.columns[$0.column].name) }
            + entity.uniqueColumns.map { SQLText.lookup(qualifiedName, entity.columns[$0].name) }
        return [table(qualifiedName)] + (indices.isEmpty ? [] : [indices.joined(separator: "\n")])
            + ["SELECT sync.enroll('\(qualifiedName)');"]
    }

    private func table(_ qualifiedName: String) -> String {
        let names = entity.columns.map { SQLText.identifier($0.name) }
        let types = entity.columns.map { SQLText.type($0.type) }
        let (nameWidth, typeWidth) = (names.map(\.count).max() ?? 0, types.map(\.count).max() ?? 0)
        let lines = entity.columns.indices.map { index in
            let head = "    " + SQLText.padded(names[index], to: nameWidth) + " "
            return entity.columns[index].isNullable
                ? head + types[index] : head + SQLText.padded(types[index], to: typeWidth) + " NOT NULL"
        }
        let checks = entity.columns.compactMap { ValueCheck($0).map { "    \($0.declaration)" } }
        let head = entity.singleton == nil ? "" : "-- One record in each space, with the id that the plan gives it.\n"
        return head + "CREATE TABLE \(qualifiedName) (\n"
            + (["    LIKE sync.record INCLUDING ALL"] + lines + checks).joined(separator: ",\n") + "\n);"
    }
}
