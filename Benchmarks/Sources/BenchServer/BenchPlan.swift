import WireFormats

/// An app with one entity: the record of the benchmark kit, as the bare server for comparison keeps it.
enum BenchPlan: SchemaMigrationPlan {
    static let app = "bench"
    static let schemas: [any VersionedSchema.Type] = [SchemaV1.self]
    static let stages: [MigrationStage] = []

    enum SchemaV1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("ProgressEntry") {
                Attribute("type", .string)
                Attribute("quantity", .decimal)
                Attribute("value", .double)
                Attribute("at", .date)
                Attribute("note", .string)
                Attribute("updatedAt", .date)
            }
        }
    }
}
