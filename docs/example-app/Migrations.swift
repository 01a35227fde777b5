import SwiftData

typealias Item = SchemaV3.Item
typealias Shelf = SchemaV3.Shelf
typealias Recipe = SchemaV3.Recipe

enum PantryMigrations: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self, SchemaV3.self] }
    static var stages: [MigrationStage] { [toV2, toV3] }

    static let toV2 = MigrationStage.lightweight(fromVersion: SchemaV1.self, toVersion: SchemaV2.self)
    static let toV3 = MigrationStage.lightweight(fromVersion: SchemaV2.self, toVersion: SchemaV3.self)
}
