import Foundation
import SwiftData

enum SchemaV7: VersionedSchema {
    static var versionIdentifier = Schema.Version(0, 0, 7)

    static var models: [any PersistentModel.Type] {
        [
            SDUserProfile.self, SDDietaryAndActivityPreferences.self, SDPhysicalAttribute.self, SDActivitySnapshot.self,
            SDProgressEntry.self, SDOutboxEvent.self, SDSleepSession.self, SDSleepStage.self, SDMoodEntry.self,
            SDMeal.self, SDMealLogItem.self,
        ]
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
        var updatedAt: Date? = Date.now
        var hasPerformedInitialHealthKitSync: Bool = false
        var lastSuccessfulDailySyncDate: Date?
        @Relationship(deleteRule: .cascade, inverse: \SDDietaryAndActivityPreferences.userProfile)
        var dietaryAndActivityPreferences: SDDietaryAndActivityPreferences?
        @Relationship(deleteRule: .cascade, inverse: \SDPhysicalAttribute.userProfile) var bodyMetrics:
            [SDPhysicalAttribute]?
        @Relationship(deleteRule: .cascade, inverse: \SDActivitySnapshot.userProfile) var activitySnapshots:
            [SDActivitySnapshot]?
        @Relationship(deleteRule: .cascade, inverse: \SDProgressEntry.userProfile) var progressEntries:
            [SDProgressEntry]?
        @Relationship(deleteRule: .cascade, inverse: \SDSleepSession.userProfile) var sleepSessions: [SDSleepSession]?
        @Relationship(deleteRule: .cascade, inverse: \SDMoodEntry.userProfile) var moodEntries: [SDMoodEntry]?
        @Relationship(deleteRule: .cascade, inverse: \SDMeal.userProfile) var mealLogs: [SDMeal]?

        init() {}
    }

    typealias SDDietaryAndActivityPreferences = SchemaV2.SDDietaryAndActivityPreferences

    @Model
    final class SDPhysicalAttribute {
        var id: UUID = UUID()
        var value: Double?
        var type: PhysicalAttributeType = PhysicalAttributeType.bodyMass
        var createdAt: Date = Date.now
        var updatedAt: Date? = Date.now
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
        var updatedAt: Date? = Date.now
        var backendID: String?
        var backendSyncedAt: Date?
        var userProfile: SDUserProfile?

        init() {}
    }

    @Model
    final class SDProgressEntry {
        var id: UUID = UUID()
        var userID: String = ""
        var type: String = ""
        var quantity: Double = 0.0
        var date: Date = Date.now
        var time: String?
        var notes: String?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfile?

        init() {}
    }

    typealias SDOutboxEvent = SchemaV3.SDOutboxEvent

    @Model
    final class SDSleepSession {
        var id: UUID = UUID()
        var date: Date = Date.now
        var startTime: Date = Date.now
        var endTime: Date = Date.now
        var timeInBedMinutes: Int = 0
        var totalSleepMinutes: Int = 0
        var sleepEfficiency: Double = 0.0
        var source: String?
        var sourceID: String?
        var notes: String?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfile?
        @Relationship(deleteRule: .cascade, inverse: \SDSleepStage.session) var stages: [SDSleepStage]?

        init() {}
    }

    @Model
    final class SDSleepStage {
        var id: UUID = UUID()
        var stage: String = ""
        var startTime: Date = Date.now
        var endTime: Date = Date.now
        var durationMinutes: Int = 0
        var session: SDSleepSession?

        init() {}
    }

    @Model
    final class SDMoodEntry {
        var id: UUID = UUID()
        var valence: Double?
        var labels: [String] = []
        var associations: [String] = []
        var date: Date = Date.now
        var notes: String?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var sourceID: String?
        var userProfile: SDUserProfile?

        init() {}
    }

    @Model
    final class SDMeal {
        var id: UUID = UUID()
        var rawInput: String = ""
        var mealType: MealType = MealType.breakfast
        var status: MealLogStatus = MealLogStatus.pending
        var loggedAt: Date = Date.now
        var notes: String?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: SyncStatus = SyncStatus.pending
        var errorMessage: String?
        var totalCalories: Int?
        var totalProteinG: Double?
        var totalCarbsG: Double?
        var totalFatG: Double?
        var totalFiberG: Double?
        var totalSugarG: Double?
        var processingStartedAt: Date?
        var processingCompletedAt: Date?
        var userProfile: SDUserProfile?
        @Relationship(deleteRule: .cascade, inverse: \SDMealLogItem.mealLog) var items: [SDMealLogItem]?

        init() {}
    }

    @Model
    final class SDMealLogItem {
        var id: UUID = UUID()
        var name: String = ""
        var quantity: String = ""
        var calories: Double = 0.0
        var protein: Double = 0.0
        var carbs: Double = 0.0
        var fat: Double = 0.0
        var foodType: String = "food"
        var fiberG: Double?
        var sugarG: Double?
        var confidence: Double?
        var parsingNotes: String?
        var orderIndex: Int = 0
        var createdAt: Date = Date.now
        var backendID: String?
        var mealLog: SDMeal?

        init() {}
    }
}
