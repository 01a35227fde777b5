import Foundation
import SwiftData

enum SchemaV1: VersionedSchema {
    static var versionIdentifier = Schema.Version(1, 0, 0)

    static var models: [any PersistentModel.Type] {
        [SDEntryV1.self, SDIntakeTypeV1.self, SDGoalV1.self, SDAppSettingsV1.self]
    }

    @Model
    final class SDEntryV1 {
        @Attribute(.unique) var id: UUID
        var date: Date
        var units: String
        var amount: Double
        var name: String
        var goalMet: Bool
        var intakeType: SDIntakeTypeV1?

        init() {}
    }

    @Model
    final class SDIntakeTypeV1 {
        @Attribute(.unique) var id: UUID
        var name: String
        var unit: String
        var amount: Double
        var descrip: String
        var frequency: String
        @Relationship(deleteRule: .nullify, inverse: \SDEntryV1.intakeType) var entries: [SDEntryV1]?

        init() {}
    }

    @Model
    final class SDGoalV1 {
        @Attribute(.unique) var id: UUID
        var name: String
        var goalDescription: String
        var dates: [Date]
        var isActive: Bool
        var isCompleted: Bool
        var dosage: Double
        var units: String
        var frequency: String

        init() {}
    }

    @Model
    final class SDAppSettingsV1 {
        @Attribute(.unique) var id: UUID
        var notificationsEnabled: Bool
        var defaultReminderTime: Date?
        var preferredUnits: String
        var theme: String
        var lastBackupDate: Date?
        var autoBackupEnabled: Bool
        var cloudSyncEnabled: Bool
        var acceptedLicenseVersion: String?
        var createdAt: Date
        var modifiedAt: Date

        init() {}
    }
}
