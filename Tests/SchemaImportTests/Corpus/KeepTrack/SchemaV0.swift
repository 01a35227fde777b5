import Foundation
import SwiftData

enum SchemaV0: VersionedSchema {
    static var versionIdentifier = Schema.Version(0, 0, 0)

    static var models: [any PersistentModel.Type] {
        [SDEntryV0.self, SDIntakeTypeV0.self, SDGoalV0.self, SDAppSettingsV0.self]
    }

    @Model
    final class SDEntryV0 {
        var id: UUID
        var date: Date
        var units: String
        var amount: Double
        var name: String
        var goalMet: Bool
        var intakeType: SDIntakeTypeV0?

        init() {}
    }

    @Model
    final class SDIntakeTypeV0 {
        var id: UUID
        var name: String
        var unit: String
        var amount: Double
        var descrip: String
        var frequency: String
        @Relationship(deleteRule: .nullify, inverse: \SDEntryV0.intakeType) var entries: [SDEntryV0]?

        init() {}
    }

    @Model
    final class SDGoalV0 {
        var id: UUID
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
    final class SDAppSettingsV0 {
        var id: UUID
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
