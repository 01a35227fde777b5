import Foundation
import SwiftData

enum SchemaV3: VersionedSchema {
    static var versionIdentifier = Schema.Version(0, 0, 3)

    static var models: [any PersistentModel.Type] {
        [
            SDUserProfile.self, SDDietaryAndActivityPreferences.self, SDPhysicalAttribute.self, SDActivitySnapshot.self,
            SDProgressEntry.self, SDOutboxEvent.self,
        ]
    }

    typealias SDUserProfile = SchemaV2.SDUserProfile

    typealias SDDietaryAndActivityPreferences = SchemaV2.SDDietaryAndActivityPreferences

    typealias SDPhysicalAttribute = SchemaV2.SDPhysicalAttribute

    typealias SDActivitySnapshot = SchemaV2.SDActivitySnapshot

    typealias SDProgressEntry = SchemaV2.SDProgressEntry

    @Model
    final class SDOutboxEvent {
        var id: UUID = UUID()
        var eventType: String = ""
        var entityID: UUID = UUID()
        var userID: String = ""
        var status: String = "pending"
        var createdAt: Date = Date.now
        var lastAttemptAt: Date?
        var attemptCount: Int = 0
        var maxAttempts: Int = 5
        var errorMessage: String?
        var completedAt: Date?
        var metadata: String?
        var priority: Int = 0
        var isNewRecord: Bool = true

        init() {}
    }
}
