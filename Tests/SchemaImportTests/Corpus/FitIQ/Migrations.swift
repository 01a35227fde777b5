import SwiftData

enum FitIQMigrations: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
        [
            SchemaV1.self, SchemaV2.self, SchemaV3.self, SchemaV4.self, SchemaV5.self, SchemaV6.self, SchemaV7.self,
            SchemaV8.self, SchemaV9.self, SchemaV10.self, SchemaV11.self,
        ]
    }

    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: SchemaV1.self, toVersion: SchemaV2.self, willMigrate: nil,
                didMigrate: { context in
                    print("migrated")
                    try context.save()
                }),
            .lightweight(fromVersion: SchemaV2.self, toVersion: SchemaV3.self),
            .lightweight(fromVersion: SchemaV3.self, toVersion: SchemaV4.self),
            .lightweight(fromVersion: SchemaV4.self, toVersion: SchemaV5.self),
            .custom(
                fromVersion: SchemaV5.self, toVersion: SchemaV6.self, willMigrate: nil,
                didMigrate: { context in
                    print("migrated")
                    try context.save()
                }),
            .lightweight(fromVersion: SchemaV6.self, toVersion: SchemaV7.self),
            .lightweight(fromVersion: SchemaV7.self, toVersion: SchemaV8.self),
            .lightweight(fromVersion: SchemaV8.self, toVersion: SchemaV9.self),
            .custom(
                fromVersion: SchemaV9.self, toVersion: SchemaV10.self, willMigrate: nil,
                didMigrate: { context in
                    print("migrated")
                    try context.save()
                }),
            .custom(
                fromVersion: SchemaV10.self, toVersion: SchemaV11.self, willMigrate: nil,
                didMigrate: { context in
                    print("migrated")
                    try context.save()
                }),
        ]
    }
}
