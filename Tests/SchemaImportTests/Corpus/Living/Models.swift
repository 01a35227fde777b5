import Foundation
import SwiftData

@Model final class Row {
    var id: UUID = UUID()
    var title: String = ""
    var metres: Int = 0

    init() {}
}

@Model final class Boat {
    var id: UUID = UUID()
    var name: String = ""

    init() {}
}

enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Row.self] }
}

enum SchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] {
        #if os(watchOS)
            SchemaV1.models
        #else
            SchemaV1.models + [Boat.self]
        #endif
    }
}

enum SchemaV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { SchemaV2.models }
}

enum RowPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SchemaV1.self, SchemaV2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: SchemaV1.self, toVersion: SchemaV2.self)] }
}
