import Foundation
import SwiftData

enum SchemaV5: VersionedSchema {
    static var versionIdentifier = Schema.Version(0, 0, 5)

    static var models: [any PersistentModel.Type] {
        [
            SDUserProfile.self, SDDietaryAndActivityPreferences.self, SDPhysicalAttribute.self, SDActivitySnapshot.self,
            SDProgressEntry.self, SDOutboxEvent.self, SDSleepSession.self, SDSleepStage.self, SDMoodEntry.self,
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

        init() {}
    }

    typealias SDDietaryAndActivityPreferences = SchemaV2.SDDietaryAndActivityPreferences

    typealias SDPhysicalAttribute = SchemaV4.SDPhysicalAttribute

    typealias SDActivitySnapshot = SchemaV4.SDActivitySnapshot

    typealias SDProgressEntry = SchemaV2.SDProgressEntry

    typealias SDOutboxEvent = SchemaV3.SDOutboxEvent

    typealias SDSleepSession = SchemaV4.SDSleepSession

    typealias SDSleepStage = SchemaV4.SDSleepStage

    @Model
    final class SDMoodEntry {
        var id: UUID = UUID()
        var userID: String = ""
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
}
