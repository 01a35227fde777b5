import Foundation
import SwiftData

enum SchemaV2: VersionedSchema {
    static var versionIdentifier = Schema.Version(2, 0, 0)

    static var models: [any PersistentModel.Type] {
        [SDEntry.self, SDIntakeType.self, SDGoal.self, SDAppSettings.self]
    }

    @Model
    final class SDEntry {
        var id: UUID = UUID()
        var date: Date = Date.now
        var units: String = ""
        var amount: Double = 0.0
        var name: String = ""
        var goalMet: Bool = false
        var intakeType: SDIntakeType?

        init() {}
    }

    @Model
    final class SDIntakeType {
        var id: UUID = UUID()
        var name: String = ""
        var unit: String = ""
        var amount: Double = 0.0
        var descrip: String = ""
        var frequency: String = ""
        @Relationship(deleteRule: .nullify, inverse: \SDEntry.intakeType) var entries: [SDEntry]?

        init() {}
    }

    @Model
    final class SDGoal {
        var id: UUID = UUID()
        var name: String = ""
        var goalDescription: String = ""
        var dates: [Date] = []
        var isActive: Bool = true
        var isCompleted: Bool = false
        var dosage: Double = 0.0
        var units: String = ""
        var frequency: String = ""

        init() {}
    }

    @Model
    final class SDAppSettings {
        var id: UUID = UUID()
        var notificationsEnabled: Bool = true
        var defaultReminderTime: Date?
        var preferredUnits: String = "metric"
        var theme: String = "auto"
        var lastBackupDate: Date?
        var autoBackupEnabled: Bool = false
        var cloudSyncEnabled: Bool = true
        var iCloudAvailable: Bool = false
        var cloudKitAvailable: Bool = false
        var documentsAccessible: Bool = false
        var lastPermissionCheck: Date?
        var acceptedLicenseVersion: String?
        var createdAt: Date = Date.now
        var modifiedAt: Date = Date.now

        init() {}
    }
}
