import SwiftData

enum PantryMigrations: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
    static var stages: [MigrationStage] { [toV2] }

    static let toV2 = MigrationStage.custom(
        fromVersion: SchemaV1.self, toVersion: SchemaV2.self,
        willMigrate: nil,
        didMigrate: { context in
            for item in try context.fetch(FetchDescriptor<SchemaV2.Item>()) {
                item.amount = item.amount / 1000
            }
            try context.save()
        })
}
