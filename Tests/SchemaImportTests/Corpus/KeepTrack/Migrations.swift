import SwiftData

enum KeepTrackMigrations: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
        [SchemaV0.self, SchemaV1.self, SchemaV2.self]
    }

    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: SchemaV0.self, toVersion: SchemaV1.self, willMigrate: nil,
                didMigrate: { context in
                    print("migrated")
                    try context.save()
                }),
            .custom(
                fromVersion: SchemaV1.self, toVersion: SchemaV2.self, willMigrate: nil,
                didMigrate: { context in
                    print("migrated")
                    try context.save()
                }),
        ]
    }
}
