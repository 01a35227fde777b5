import Foundation
import SwiftData

enum SchemaV11: VersionedSchema {
    static var versionIdentifier = Schema.Version(0, 1, 1)

    static var models: [any PersistentModel.Type] {
        [
            SDUserProfileV11.self, SDDietaryAndActivityPreferences.self, SDPhysicalAttribute.self,
            SDActivitySnapshot.self, SDProgressEntry.self, SDSleepSession.self, SDSleepStage.self, SDMoodEntry.self,
            SDMeal.self, SDMealLogItem.self, SDOutboxEvent.self, SDPhotoRecognition.self, SDRecognizedFoodItem.self,
            SDWorkout.self, SDWorkoutTemplate.self, SDTemplateExercise.self,
        ]
    }

    @Model
    final class SDUserProfileV11 {
        var id: UUID = UUID()
        var name: String = ""
        var email: String = ""
        var authToken: String?
        var refreshToken: String?
        var tokenExpiresAt: Date?
        var refreshTokenExpiresAt: Date?
        var dailyCalorieGoal: Double?
        var unitSystem: String = "metric"
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
        @Relationship(deleteRule: .cascade, inverse: \SDProgressEntry.userProfile) var progressEntries:
            [SDProgressEntry]?
        @Relationship(deleteRule: .cascade, inverse: \SDSleepSession.userProfile) var sleepSessions: [SDSleepSession]?
        @Relationship(deleteRule: .cascade, inverse: \SDMoodEntry.userProfile) var moodEntries: [SDMoodEntry]?
        @Relationship(deleteRule: .cascade, inverse: \SDMeal.userProfile) var mealLogs: [SDMeal]?
        @Relationship(deleteRule: .cascade, inverse: \SDPhotoRecognition.userProfile) var photoRecognitions:
            [SDPhotoRecognition]?
        @Relationship(deleteRule: .cascade, inverse: \SDWorkout.userProfile) var workouts: [SDWorkout]?
        @Relationship(deleteRule: .cascade, inverse: \SDWorkoutTemplate.userProfile) var workoutTemplates:
            [SDWorkoutTemplate]?

        init() {}
    }

    @Model
    final class SDDietaryAndActivityPreferences {
        var allergies: [String]?
        var dietaryRestrictions: [String]?
        var foodDislikes: [String]?
        var createdAt: Date = Date.now
        var updatedAt: Date? = Date.now
        var userProfile: SDUserProfileV11?

        init() {}
    }

    @Model
    final class SDPhysicalAttribute {
        var id: UUID = UUID()
        var value: Double?
        var type: PhysicalAttributeType = PhysicalAttributeType.bodyMass
        var createdAt: Date = Date.now
        var updatedAt: Date? = Date.now
        var backendID: String?
        var backendSyncedAt: Date?
        var userProfile: SDUserProfileV11?

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
        var userProfile: SDUserProfileV11?

        init() {}
    }

    @Model
    final class SDProgressEntry {
        var id: UUID = UUID()
        var type: String = ""
        var quantity: Double = 0.0
        var date: Date = Date.now
        var time: String?
        var notes: String?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfileV11?

        init() {}
    }

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
        var userProfile: SDUserProfileV11?
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
        var value: Int = 5
        var date: Date = Date.now
        var notes: String?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfileV11?

        init() {}
    }

    @Model
    final class SDMeal {
        var id: UUID = UUID()
        var rawInput: String = ""
        var mealType: String = "snack"
        var status: String = "pending"
        var loggedAt: Date = Date.now
        var notes: String?
        var totalCalories: Int?
        var totalProteinG: Double?
        var totalCarbsG: Double?
        var totalFatG: Double?
        var totalFiberG: Double?
        var totalSugarG: Double?
        var processingStartedAt: Date?
        var processingCompletedAt: Date?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var errorMessage: String?
        var userProfile: SDUserProfileV11?
        @Relationship(deleteRule: .cascade, inverse: \SDMealLogItem.mealLog) var items: [SDMealLogItem]?

        init() {}
    }

    @Model
    final class SDMealLogItem {
        var id: UUID = UUID()
        var name: String = ""
        var quantity: Double = 0.0
        var unit: String = ""
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

    typealias SDOutboxEvent = SchemaV3.SDOutboxEvent

    @Model
    final class SDPhotoRecognition {
        var id: UUID = UUID()
        var status: String = "pending"
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var processedAt: Date?
        var errorMessage: String?
        var backendID: String?
        var syncStatus: String = "pending"
        var photoFileName: String?
        var rawResponse: String?
        @Relationship(deleteRule: .cascade, inverse: \SDRecognizedFoodItem.photoRecognition) var recognizedFoods:
            [SDRecognizedFoodItem]?
        var userProfile: SDUserProfileV11?

        init() {}
    }

    @Model
    final class SDRecognizedFoodItem {
        var id: UUID = UUID()
        var foodName: String = ""
        var quantity: Double?
        var unit: String?
        var calories: Double = 0.0
        var proteinG: Double = 0.0
        var carbsG: Double = 0.0
        var fatG: Double = 0.0
        var fiberG: Double?
        var sugarG: Double?
        var confidence: Double?
        var orderIndex: Int = 0
        var createdAt: Date = Date.now
        var photoRecognition: SDPhotoRecognition?

        init() {}
    }

    @Model
    final class SDWorkout {
        var id: UUID = UUID()
        var activityType: String = ""
        var title: String?
        var notes: String?
        var startedAt: Date = Date.now
        var endedAt: Date?
        var durationMinutes: Int?
        var caloriesBurned: Int?
        var distanceMeters: Double?
        var intensity: Int?
        var source: String = "HealthKit"
        var sourceID: String?
        var createdAt: Date = Date.now
        var updatedAt: Date?
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfileV11?

        init() {}
    }

    @Model
    final class SDWorkoutTemplate {
        var id: UUID = UUID()
        var name: String = ""
        var templateDescription: String?
        var category: String?
        var difficultyLevel: String?
        var estimatedDurationMinutes: Int?
        var isPublic: Bool = false
        var isSystem: Bool = false
        var status: String = "draft"
        var exerciseCount: Int = 0
        var timesUsed: Int = 0
        var isFavorite: Bool = false
        var isFeatured: Bool = false
        var createdAt: Date = Date.now
        var updatedAt: Date = Date.now
        var backendID: String?
        var syncStatus: String = "pending"
        var userProfile: SDUserProfileV11?
        @Relationship(deleteRule: .cascade, inverse: \SDTemplateExercise.template) var exercises: [SDTemplateExercise]?

        init() {}
    }

    @Model
    final class SDTemplateExercise {
        var id: UUID = UUID()
        var exerciseID: String?
        var userExerciseID: String?
        var exerciseName: String = ""
        var orderIndex: Int = 0
        var technique: String?
        var sets: Int?
        var reps: Int?
        var weightKg: Double?
        var durationSeconds: Int?
        var restSeconds: Int?
        var notes: String?
        var createdAt: Date = Date.now
        var backendID: String?
        var template: SDWorkoutTemplate?

        init() {}
    }
}
