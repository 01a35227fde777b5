import Foundation
import SwiftData

enum SchemaV1: VersionedSchema {
    static var versionIdentifier = Schema.Version(0, 0, 1)

    static var models: [any PersistentModel.Type] {
        [SDUserProfile.self, SDDietaryAndActivityPreferences.self, SDPhysicalAttribute.self, SDActivitySnapshot.self]
    }

    @Model
    final class SDUserProfile {
        var id: UUID = UUID()
        var name: String = ""
        var bio: String?
        var preferredUnitSystem: UnitSystem = UnitSystem.metric
        var languageCode: String?
        var dateOfBirth: Date?
        var biologicalSex: String?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var hasPerformedInitialHealthKitSync: Bool = false
        var lastSuccessfulDailySyncDate: Date?
        @Relationship(deleteRule: .cascade, inverse: \SDDietaryAndActivityPreferences.userProfile)
        var dietaryAndActivityPreferences: SDDietaryAndActivityPreferences?
        @Relationship(deleteRule: .cascade, inverse: \SDPhysicalAttribute.userProfile) var bodyMetrics:
            [SDPhysicalAttribute]?
        @Relationship(deleteRule: .cascade, inverse: \SDActivitySnapshot.userProfile) var activitySnapshots:
            [SDActivitySnapshot]?

        init() {}
    }

    @Model
    final class SDDietaryAndActivityPreferences {
        var allergies: [String]?
        var dietaryRestrictions: [String]?
        var foodDislikes: [String]?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var userProfile: SDUserProfile?

        init() {}
    }

    @Model
    final class SDPhysicalAttribute {
        var id: UUID = UUID()
        var value: Double?
        var type: PhysicalAttributeType = PhysicalAttributeType.bodyMass
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var backendSyncedAt: Date?
        var userProfile: SDUserProfile?

        init() {}
    }

    @Model
    final class SDActivitySnapshot {
        var id: UUID = UUID()
        var activeMinutes: Int?
        var activityLevel: ActivityLevel = ActivityLevel.sedentary
        var caloriesBurned: Double?
        var date: Date = Date.now
        var distanceKm: Double?
        var heartRateAvg: Double?
        var steps: Int?
        var workoutDurationMinutes: Double?
        var workoutSessions: Int?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var backendSyncedAt: Date?
        var userProfile: SDUserProfile?

        init() {}
    }
}
